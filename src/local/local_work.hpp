#pragma once
// Local work: what a client computes from its shard in a round, and what that is made from.

#include <algorithm>
#include <memory>
#include <optional>

#include "base/state.hpp"
#include "base/state_moves.hpp"
#include "base/support.hpp"
#include "local/local_steps.hpp"
#include "local/record_gradients.hpp"
#include "local/sampler.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// What local work is made from. Clients of this process are addressed by slot.
struct LocalSetup {
  Problem* problem = nullptr;
  Sampler* sampler = nullptr;
  std::vector<const Dataset*> shards;  ///< by slot
  std::size_t first_client = 0;        ///< number of the client in slot 0
  std::size_t batch = 1;
  /// Returns the size of a minibatch of a shard: `batch`, or all records of a shard with fewer.
  std::size_t batch_of(const Dataset& shard) const { return std::min(batch, shard.size()); }
  double snapshot_probability = 0;  ///< SVRG
  double record_threshold = 0;      ///< G, or infinity
  GradientNotes* notes = nullptr;   ///< of the records' gradients; may be null
  LocalSteps steps;                 ///< of solvers
  double contacts = 1;              ///< s, expected in a server step
};

/// What a client is given to do.
struct Task {
  ConstView model = {};            ///< where it starts: the server's state
  Key key = {};                    ///< addresses its minibatches
  std::optional<long> steps = {};  ///< of solvers whose number of steps is set; none = the method's
  double scale = 1;                ///< on the client's vector
  /// The coordinates of the client's vector that anybody looks at; others may hold anything.
  Support used = Support::all();
  /// Of the client's pieces of work, which addresses the minibatches of this one, and the server
  /// steps behind the model, by which rates decay; none = the round.
  std::optional<std::uint32_t> number = {}, age = {};
  std::uint32_t round_of_rate() const { return age.value_or(key.round); }
  ConstView now = {};  ///< the server's state at the contact, of solvers that get another one too
};

class LocalWork {
 public:
  virtual ~LocalWork() = default;
  /// Sets the state that belongs to the start.
  virtual void start(ConstView) {}
  /// Writes the client's vector into `out`: an estimate of its gradient without the regulariser, or
  /// what its local steps have done, regulariser included. Returns the number of records drawn.
  virtual std::size_t estimate(std::size_t slot, const Task& task, View out) = 0;
  /// Takes one of the steps of a task in advance; estimate() of the same task goes on from there.
  virtual void advance(std::size_t, const Task&) {}
  /// Adds to the coordinates `at` of a vector the part that has no data in it. Beside
  /// the noise it would have no use, and in rounding the sum it could take the noise away.
  virtual void add_public(ConstView, Support, View) const {}
  /// Takes in what the compressor leaves of the client's last vector after its bound: what is sent,
  /// but for the client's noise.
  virtual void absorb(std::size_t, const SparseView&) {}
  virtual bool absorbs() const { return false; }
  /// Ends a round for all clients; `coin` addresses the round's common coin. x is the model before
  /// the step of this round.
  virtual void finish_round(ConstView, const Key&) {}
  /// The client's own model where the server's state is `x`, in `room` or valid until the client's
  /// next round; empty where clients have none.
  virtual ConstView personal_model(std::size_t, ConstView, Vector&) const { return {}; }
  /// What a restart must find again: of all clients in common (equal on every rank), and of one.
  virtual void persist_common(State&) {}
  virtual void persist(std::size_t, State&) {}
};

}  // namespace trilemma
