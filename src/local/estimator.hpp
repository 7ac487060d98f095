#pragma once
// Gradient estimators: local work that evaluates gradients at the model of the round only.

#include "local/local_work.hpp"

namespace trilemma {

/// Base of all estimators: clipped gradients, and the gradient of the regulariser at x as public
/// part.
class GradientWork : public LocalWork {
 public:
  explicit GradientWork(const LocalSetup& s)
      : s_(s), gradients_(*s.problem, s.record_bound, s.notes) {}
  void add_public(ConstView x, Support at, View out) const override {
    s_.problem->add_regulariser_at(x, at, out);
  }

 protected:
  /// Prefetches the small shard of the next slot: with thousands of clients none is in the cache.
  void prefetch_after(std::size_t slot) const {
    if (slot + 2 < s_.shards.size()) s_.shards[slot + 2]->prefetch_header();
    if (slot + 1 < s_.shards.size()) s_.shards[slot + 1]->prefetch_shard();
  }

  LocalSetup s_;
  RecordGradients gradients_;
};

/// A kind of estimator. Its privacy properties can be read before data are loaded.
struct EstimatorKind {
  std::unique_ptr<LocalWork> (*make)(const LocalSetup&);
  /// Returns the add/remove sensitivity for norm bound G, batch size b and a shard of m records.
  Sensitivity (*sensitivity)(double g, double b, double m);
  bool uses_batch;
  bool uses_snapshot;
  StateMoves moves;              ///< when the state changes that persist() of a client saves
  bool remembers_draws = false;  ///< keeps the numbers of records drawn earlier
};

/// Returns the table of estimators: gd, sgd, svrg, saga ([SOT] algorithm 3), recursive.
std::span<const Row<EstimatorKind>> estimators();

}  // namespace trilemma
