#pragma once
// Interface of local work, the computation of a client on its shard in a round, and its inputs.

#include <algorithm>
#include <memory>
#include <optional>

#include "base/state.hpp"
#include "base/support.hpp"
#include "local/local_steps.hpp"
#include "local/record_gradients.hpp"
#include "local/recursion.hpp"
#include "local/sampler.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// Inputs of local work. Clients of this process are addressed by slot.
struct LocalSetup {
  Problem* problem = nullptr;
  Sampler* sampler = nullptr;
  std::vector<const Dataset*> shards;  ///< by slot
  std::size_t first_client = 0;        ///< number of the client in slot 0
  std::size_t batch = 1;
  /// Returns the size of a minibatch of a shard: `batch`, or all records of a shard with fewer.
  std::size_t batch_of(const Dataset& shard) const { return std::min(batch, shard.size()); }
  double snapshot_probability = 0;  ///< SVRG
  RecordBound record_bound = {.threshold = 0};
  GradientNotes* notes = nullptr;  ///< observations on the gradients of records; may be null
  LocalSteps steps;                ///< for solvers
  Recursion recursion;             ///< for the estimator "recursive"
  /// Noise of a later round of a recursion in which one record's part has norm at most G, divided
  /// by the noise of an anchor.
  double later_noise = 1;
  double contacts = 1;  ///< s, expected number of contacts in a server step
};

/// One local job of a client.
struct Task {
  ConstView model = {};            ///< model from which the client starts: the server's state
  Key key = {};                    ///< addresses its minibatches
  std::optional<long> steps = {};  ///< number of steps, if given; none = that of the method
  double scale = 1;                ///< factor on the client's vector
  /// The coordinates of the client's vector that are used; all others may hold anything.
  Support used = Support::all();
  /// `number`: counts the local jobs of the client and addresses their minibatches. `age`: the
  /// model version, by which step sizes decay. none = the round.
  std::optional<std::uint32_t> number = {}, age = {};
  std::uint32_t round_of_rate() const { return age.value_or(key.round); }
  ConstView now = {};  ///< the server's state at the contact, for solvers that need both
};

/// Local computation of the clients hosted by one process.
class LocalWork {
 public:
  virtual ~LocalWork() = default;
  /// Initialises state that depends on the start model.
  virtual void start(ConstView) {}
  /// Writes the client's vector into `out`: an estimate of its gradient without the regulariser, or
  /// the update of its local steps, regulariser included. Returns the number of records drawn.
  virtual std::size_t estimate(std::size_t slot, const Task& task, View out) = 0;
  /// Returns the number of local steps of the last vector.
  virtual std::size_t last_steps() const { return 1; }
  /// Takes one step of a task in advance; estimate() of the same task continues from there.
  virtual void advance(std::size_t, const Task&) {}
  /// Adds the part that does not depend on data to the coordinates `at` of a vector. This part is
  /// not released with noise: it needs none, and adding it to noisy values could round noise away.
  virtual void add_public(ConstView, Support, View) const {}
  /// Returns the noise of the vectors of `round`, which starts at x, divided by the noise of the
  /// run: the same for all clients, computed from released models alone.
  virtual double noise_factor(std::uint32_t, ConstView) { return 1; }
  /// Receives the bounded and compressed vector of the client without the client's noise: what is
  /// sent except for that noise.
  virtual void absorb(std::size_t, const SparseView&) {}
  /// Returns whether absorb() changes the state.
  virtual bool absorbs() const { return false; }
  /// Ends a round for all clients; `coin` addresses the common coin of the round. x is the model
  /// before the step of this round.
  virtual void finish_round(ConstView, const Key&) {}
  /// Returns the client's own model for the server's state `x`, stored in `room` or valid until the
  /// client's next round; empty if clients have no models of their own.
  virtual ConstView personal_model(std::size_t, ConstView, Vector&) const { return {}; }
  /// Saves or restores the state that all clients share (equal on every rank).
  virtual void persist_common(State&) {}
  /// Saves or restores the state of one client.
  virtual void persist(std::size_t, State&) {}
};

}  // namespace trilemma
