#pragma once
// Gradient estimators: what a client computes from its shard in a round.

#include <memory>

#include "core/state.hpp"
#include "local/record_gradients.hpp"
#include "local/sampler.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// What an estimator is made from. Clients of this process are addressed by slot.
struct LocalSetup {
  Problem* problem = nullptr;
  Sampler* sampler = nullptr;
  std::vector<const Dataset*> shards;  ///< by slot
  std::size_t batch = 1;
  double snapshot_probability = 0;  ///< SVRG
  double record_threshold = 0;      ///< G, or infinity
  double* largest_norm = nullptr;   ///< keeps the largest norm of a clipped gradient, if not null
};

class Estimator {
 public:
  virtual ~Estimator() = default;
  /// Sets the state that belongs to the start model.
  virtual void start(ConstView x) = 0;
  /// Writes the estimate of the client's gradient at x, regulariser included, into `out`; returns
  /// the number of records drawn. `key` addresses the minibatch.
  virtual std::size_t estimate(std::size_t slot, ConstView x, const Key& key, View out) = 0;
  /// Ends a round for all clients; `coin` addresses the round's common coin. x is the model before
  /// the step of this round.
  virtual void finish_round(ConstView, const Key&) {}
  /// What a restart must find again: of all clients in common (equal on every rank), and of one.
  virtual void persist(State& common) = 0;
  virtual void persist(std::size_t slot, State& state) = 0;
};

/// A kind of estimator: its privacy declaration can be read before there are data.
struct EstimatorKind {
  std::unique_ptr<Estimator> (*make)(const LocalSetup&);
  /// Add/remove sensitivity for norm bound G, batch b, shard of m records.
  Sensitivity (*sensitivity)(double g, double b, double m);
  bool uses_batch;
  bool uses_snapshot;
};

/// gd, sgd, svrg, saga ([SOT] algorithm 3).
std::span<const Row<EstimatorKind>> estimators();

}  // namespace trilemma
