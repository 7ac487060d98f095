#pragma once
// What a rank does for the clients it hosts: local work, bound, perturb, compress, encode.

#include <limits>

#include "compress/compressor.hpp"
#include "federation/phase_timer.hpp"
#include "local/estimator.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// The parts of the clients' side; owned elsewhere.
struct ClientParts {
  LocalWork* work;
  ErrorMemory* error;
  const Bound* bound;
  Mechanism* mechanism;
  ClientMemory* memory;
  Compressor* compressor;
  std::vector<Sensitivity> sensitivity;  ///< by slot
  std::vector<Secret*> secret;           ///< of noise and minibatches, by slot; empty = seed
  const LocalSteps* steps = nullptr;     ///< where the work takes some
  std::size_t model = 0;                 ///< values of an update that belong to the model
  std::uint64_t* not_finite = nullptr;   ///< where the work counts gradients that it replaced by 0
};

/// What the hosted participants of a round have done, for the record.
struct ClientCounts {
  std::size_t records = 0;  ///< drawn, by those that send nothing too
  std::size_t clipped = 0;  ///< updates longer than their bound
  /// Gradients of records and updates that had no finite norm, so that the bound made them 0.
  std::uint64_t not_finite = 0;
  /// Norms of updates before a bound that looks at them.
  double least_norm = std::numeric_limits<double>::infinity();
  double most_norm = 0;
  /// Sum of the participants' drifts, in units that add up exactly in any order.
  std::uint64_t drift = 0;
  static constexpr double drift_unit = 0x1p-32;
  static constexpr double most_drift = 0x1p14;  ///< a longer one counts as this
};

class ClientSide {
 public:
  /// `first_client` is the number of the client in slot 0. `staged` perturbs and compresses whole
  /// vectors even where the compressor allows to work at the sent coordinates only; the
  /// result is bit-identical.
  ClientSide(ClientParts parts, std::size_t slots, std::size_t dimension,
             std::uint32_t first_client, std::uint64_t seed, bool staged);

  /// One round at x for the hosted ones of `participants` (clients, ascending); returns their
  /// encoded messages in client order. The others do nothing.
  std::span<const std::byte> run(std::uint32_t round, Coordinates participants, ConstView x,
                                 PhaseTimer& timer);
  /// After the messages have left and before the step: snapshots and the like.
  void finish_round(std::uint32_t round, ConstView x);
  /// What a restart must find again: of all clients in common (equal on every rank), and of one.
  void persist(State& common) { parts_.work->persist(common); }
  void persist(std::size_t slot, State& state);
  /// Of the last round; before the first one, of the start.
  const ClientCounts& counts();

 private:
  void list_silent();
  void work(Coordinates slots, std::uint32_t round, ConstView x, PhaseTimer& timer);
  double drift(std::uint32_t round, std::size_t drawn, ConstView update) const;
  void count(const Bounded& bounded, double drift);
  void send(std::size_t first, Coordinates slots, std::uint32_t round, ConstView x,
            PhaseTimer& timer);
  void release(Coordinates slots, std::uint32_t round, ConstView x);
  Key key(Purpose purpose, std::size_t slot, std::uint32_t round) const;

  ClientParts parts_;
  ObliviousCompressor* fused_;
  std::size_t slots_, block_;
  std::uint32_t first_client_;
  std::uint64_t seed_;
  Layout layout_;
  std::size_t message_bytes_;
  std::vector<std::uint32_t> active_;  ///< slots that take part in the round
  std::vector<std::uint32_t> silent_;  ///< slots that work without sending
  std::vector<Vector> update_;
  std::vector<double> drift_;
  std::vector<Bounded> bounded_;
  std::vector<Released> released_;
  std::vector<Message> message_;
  Bytes bytes_;
  ClientCounts counts_;
};

}  // namespace trilemma
