#pragma once
// What rank 0 does with the messages: decode, sum in any order, add noise where
// the server is trusted with that, restore the shift, step.

#include "algorithm/method.hpp"
#include "compress/receiver.hpp"
#include "core/journal.hpp"
#include "core/packets.hpp"
#include "core/secret.hpp"
#include "federation/phase_timer.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// The parts of the server; owned elsewhere.
struct ServerParts {
  Compressor* compressor;
  ServerMemory* memory;
  ServerStep* step;
  /// The mean is the sum of what came in over this: a public constant, the expected number of
  /// participants, whoever takes part.
  double divisor = 1;
  std::size_t stride = 0;    ///< the vector of client i belongs at i * stride in the state
  double sigma = 0;          ///< of the noise on the mean, where the server adds it
  Secret* secret = nullptr;  ///< of that noise; nullptr = seed
  Journal* journal = nullptr;
};

class ServerSide {
 public:
  /// For a state of `dimension` reals.
  ServerSide(const ServerParts& parts, std::size_t dimension, std::uint64_t seed);

  /// The mean of what the participants have sent (`all`: their messages in client order), with
  /// the server's noise; valid until the step. Throws RunFailure, naming the client, where a
  /// message is not finite.
  std::span<const double> aggregate(std::uint32_t round, Coordinates participants,
                                    const Packets& all, PhaseTimer& timer);
  /// Makes x the next state by the mean that was aggregated.
  void step(std::uint32_t round, View x, PhaseTimer& timer);
  /// What a restart must find again.
  void persist(State& state);

 private:
  Key mask(std::uint32_t client, std::uint32_t round) const {
    return {seed_, Purpose::mask, client, round};
  }
  double largest(const Packets& all, std::size_t messages);
  void refuse_not_finite(std::uint32_t round, Coordinates participants, const Packets& all);

  ServerParts parts_;
  std::uint64_t seed_;
  Receiver receiver_;
  ExactSum sum_;
  std::span<double> mean_;     ///< of the round, in sum_
  std::vector<double> noise_;  ///< scratch memory
  Journal::Id mean_norm_, noise_norm_;
};

}  // namespace trilemma
