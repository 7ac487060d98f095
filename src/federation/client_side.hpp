#pragma once
// What a rank does for the clients it hosts: local work, rotation, the memory before the bound,
// bound, noise, the memory before sending, compression, encoding.

#include <functional>

#include "base/metric_log.hpp"
#include "base/packets.hpp"
#include "base/phase_timer.hpp"
#include "compress/outbox.hpp"
#include "compress/rotation.hpp"
#include "federation/client_inputs.hpp"
#include "federation/client_metrics.hpp"
#include "local/estimator.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// The parts of the clients' side; owned elsewhere.
struct ClientParts {
  LocalWork* work;
  const Bound* bound;
  Mechanism* mechanism;
  ClientMemory* memory;
  MemoryTraits memory_traits;
  Compressor* compressor;
  std::vector<Secret*> secret;         ///< of noise and minibatches, by slot; empty = seed
  const LocalSteps* steps = nullptr;   ///< where the work takes some
  std::size_t model = 0;               ///< values of an update that belong to the model
  GradientNotes* notes = nullptr;      ///< what the work notes of the records' gradients
  MetricLog* metric_log = nullptr;     ///< of what the clients do
  const Rotation* rotation = nullptr;  ///< of updates, before they are bounded; nullptr = none
  std::vector<double> weight = {};     ///< factor of each client's updates, by slot; empty = 1
};

/// Gets messages as soon as they are made.
using ReadyMessages = std::function<void(const Packets&)>;

/// The hosted clients of a rank.
class ClientSide {
 public:
  /// `first_client` is the number of the client in slot 0. `staged` perturbs and compresses whole
  /// vectors even where the compressor allows to work at the sent coordinates only, and what local
  /// work leaves out there is NaN; the result is bit-identical.
  ClientSide(ClientParts parts, std::size_t slots, std::size_t dimension,
             std::uint32_t first_client, std::uint64_t seed, bool staged);

  /// Initialises state that depends on the start model.
  void start(ConstView x);
  /// One round at x for the hosted ones of `participants`; returns their messages in the same
  /// order, valid until the next call. The others do nothing. `ready` gets messages as soon as they
  /// are made. Clients without `inputs` of their own start at x.
  const Outbox& run(std::uint32_t round, Coordinates participants, ConstView x, PhaseTimer& timer,
                    RoundInputs inputs = {}, const ReadyMessages& ready = {});
  /// Takes one of the local steps of a hosted client's task in advance; run() goes on from there.
  void advance(std::uint32_t client, Task task);
  /// After the messages have left and before the step: snapshots and the like.
  void finish_round(std::uint32_t round, ConstView x);
  /// Saves or restores the state that all clients share (equal on every rank).
  void persist_common(State& common) { parts_.work->persist_common(common); }
  void persist(std::size_t slot, State& state);

 private:
  void list_silent();
  void name_coordinates(Coordinates slots, std::uint32_t round, PhaseTimer& timer);
  void work_and_bound(Coordinates slots, std::uint32_t round, ConstView x, PhaseTimer& timer,
                      bool sends, RoundInputs inputs);
  void observe_drift(std::uint32_t round, std::size_t drawn, ConstView update);
  void observe(const Bounded& bounded);
  void observe_gradients();
  void release_and_seal(Coordinates slots, std::uint32_t round, ConstView x, PhaseTimer& timer,
                        RoundInputs inputs);
  void spoil_unused(Support used, View update);
  void keep_sent(std::size_t slot, std::uint32_t round, View update);
  void take_in_bounded(Coordinates slots, std::uint32_t round, PhaseTimer& timer);
  void release(Coordinates slots, std::uint32_t round, ConstView x);
  Key key(Purpose purpose, std::size_t slot, std::uint32_t round) const;

  ClientParts parts_;
  ObliviousCompressor* fused_;  ///< where stages behind the bound work at the support, else null
  ObliviousCompressor* names_first_;  ///< where local work does too, else null
  bool staged_;
  std::size_t slots_, block_;
  std::uint32_t first_client_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> active_;  ///< slots that take part in the round
  std::vector<std::uint32_t> silent_;  ///< slots that work without sending
  std::vector<bool> sends_;            ///< by slot
  std::vector<Vector> update_;
  std::vector<Bounded> bounded_;
  std::vector<Released> released_;
  std::vector<Message> message_;
  std::vector<Support> support_;  ///< of the messages, where it is named first
  std::vector<Sealed> sealed_;
  Message followed_;  ///< scratch, as are the next
  Vector sent_, reference_;
  Outbox outbox_;
  ClientMetrics metrics_;
  bool keeps_copy_;       ///< clients keep what the server keeps too
  bool needs_reference_;  ///< the compressor
  bool tells_drift_;      ///< updates show how far local steps have led
};

}  // namespace trilemma
