#pragma once
// The work of a rank for the clients that it hosts: local work, rotation, memory before the bound,
// bound, noise, memory before sending, compression, encoding.

#include <functional>

#include "base/metric_log.hpp"
#include "base/packets.hpp"
#include "base/phase_timer.hpp"
#include "compress/outbox.hpp"
#include "federation/client_inputs.hpp"
#include "federation/client_metrics.hpp"
#include "local/estimator.hpp"
#include "memory/memory.hpp"
#include "numeric/rotation.hpp"

namespace trilemma {

/// The parts of the clients; owned elsewhere.
struct ClientParts {
  LocalWork* work;
  const Bound* bound;
  Mechanism* mechanism;
  ClientMemory* memory;
  MemoryTraits memory_traits;
  Compressor* compressor;
  std::vector<Secret*> secret;        ///< for noise and minibatches, by slot; empty = seed
  const LocalSteps* steps = nullptr;  ///< local steps of the method; nullptr = none
  std::size_t model = 0;              ///< number of values of an update that belong to the model
  GradientNotes* notes = nullptr;     ///< counts and norms of record gradients
  MetricLog* metric_log = nullptr;
  const Rotation* rotation = nullptr;  ///< applied before the bound; nullptr = none
  std::vector<double> weight = {};     ///< factor of each client's updates, by slot; empty = 1
};

/// Receives messages as soon as they are encoded.
using ReadyMessages = std::function<void(const Packets&)>;

/// Receives the released vector of the client in `slot`, valid until the function returns.
using TakeReleased = std::function<void(std::uint32_t slot, const Released&)>;

/// The hosted clients of a rank.
class ClientSide {
 public:
  /// `slots` clients are hosted, the first of which has the number `first_client`; their updates
  /// have `dimension` values. `staged` is debug.staged: whole vectors are perturbed and compressed
  /// even if the compressor needs only the sent coordinates, and coordinates that local work may
  /// omit are NaN. The result is bit-identical.
  ClientSide(ClientParts parts, std::size_t slots, std::size_t dimension,
             std::uint32_t first_client, std::uint64_t seed, bool staged);

  /// Initialises the state that depends on the start model x.
  void start(ConstView x);
  /// Works for the hosted clients among `participants` in round `round` and returns their messages
  /// in the same order, valid until the next call. Clients without `inputs` start at x. `ready`
  /// receives each block of messages as soon as it is encoded.
  const Outbox& run(std::uint32_t round, Coordinates participants, ConstView x, PhaseTimer& timer,
                    RoundInputs inputs = {}, const ReadyMessages& ready = {});
  /// Works for the same clients up to the release of their vectors, which go to `take` in the order
  /// of the participants instead of being compressed.
  void release(std::uint32_t round, Coordinates participants, ConstView x, PhaseTimer& timer,
               RoundInputs inputs, const TakeReleased& take);
  /// Takes the next local step of the hosted client's task ahead of run(), which continues from
  /// there.
  void advance(std::uint32_t client, Task task);
  /// Ends the round: updates state such as snapshots at x. Called after the messages have left and
  /// before the server's step.
  void finish_round(std::uint32_t round, ConstView x);
  /// Returns the noise of the round that run() began last, divided by the noise of the run.
  double noise_factor() const { return noise_factor_; }
  /// Saves or restores the state that all clients share (equal on every rank).
  void persist_common(State& common) { parts_.work->persist_common(common); }
  /// Saves or restores the state of the client in `slot`.
  void persist(std::size_t slot, State& state);

 private:
  void begin(std::uint32_t round, Coordinates participants, ConstView x);
  template <class Visit>
  void each_block(const std::vector<std::uint32_t>& slots, Visit&& visit) const;
  void list_silent();
  void name_coordinates(Coordinates slots, std::uint32_t round, PhaseTimer& timer);
  void work_and_bound(Coordinates slots, std::uint32_t round, ConstView x, PhaseTimer& timer,
                      bool sends, RoundInputs inputs);
  void observe_drift(std::uint32_t round, ConstView update);
  void observe(const Bounded& bounded);
  void observe_gradients();
  void release_and_seal(Coordinates slots, std::uint32_t round, ConstView x, PhaseTimer& timer,
                        RoundInputs inputs);
  void spoil_unused(Support used, View update);
  void keep_sent(std::size_t slot, std::uint32_t round, View update);
  void take_in_bounded(Coordinates slots, std::uint32_t round, PhaseTimer& timer);
  void release(Coordinates slots, std::uint32_t round, ConstView x, RoundInputs inputs);
  Key key(Purpose purpose, std::size_t slot, std::uint32_t round) const;

  ClientParts parts_;
  /// Compressor that names the support before perturbation; null if stages after the bound work on
  /// whole vectors.
  ObliviousCompressor* fused_;
  /// The same compressor if local work may omit coordinates outside the support, otherwise null.
  ObliviousCompressor* names_first_;
  bool staged_;
  std::size_t slots_, block_;
  std::uint32_t first_client_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> active_;  ///< slots of the round's participants
  std::vector<std::uint32_t> silent_;  ///< slots that work without sending
  std::vector<bool> sends_;            ///< by slot
  std::vector<Vector> update_;
  std::vector<Bounded> bounded_;
  std::vector<Released> released_;
  std::vector<Message> message_;
  std::vector<Support> support_;  ///< supports of the messages if named first, otherwise empty
  std::vector<Sealed> sealed_;
  Message followed_;         ///< scratch memory
  Vector sent_, reference_;  ///< scratch memory
  Outbox outbox_;
  double noise_factor_ = 1;  ///< of the current round
  ClientMetrics metrics_;
  bool keeps_copy_;       ///< clients hold state of which the server has a copy
  bool needs_reference_;  ///< whether the compressor needs a reference model
  bool tells_drift_;      ///< whether the drift of local steps follows from an update
};

}  // namespace trilemma
