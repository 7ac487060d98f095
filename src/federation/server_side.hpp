#pragma once
// What rank 0 does with the messages: decode, sum in client order, add noise where
// the server is trusted with that, restore the shift, step.

#include "algorithm/method.hpp"
#include "compress/compressor.hpp"
#include "core/secret.hpp"
#include "federation/phase_timer.hpp"

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
};

class ServerSide {
 public:
  /// For a state of `dimension` reals.
  ServerSide(const ServerParts& parts, std::size_t dimension, std::uint64_t seed);

  /// One round: `bytes` are the messages of the participants in client order; x becomes the next
  /// state. Throws RunFailure, naming the client, where a message is not finite.
  void run(std::uint32_t round, Coordinates participants, std::span<const std::byte> bytes, View x,
           PhaseTimer& timer);
  /// What a restart must find again.
  void persist(State& state);
  /// Of the last round: norm of the mean of what the clients have sent, and of the server's noise.
  double mean_norm() const { return mean_norm_; }
  double noise_norm() const { return noise_norm_; }

 private:
  SparseView receive(std::uint32_t round, Coordinates participants, std::size_t number,
                     std::span<const std::byte> bytes);
  void refuse_not_finite(std::uint32_t round, Coordinates participants,
                         std::span<const std::byte> bytes);

  ServerParts parts_;
  std::uint64_t seed_;
  Layout layout_;
  Message message_;
  std::vector<double> mean_;
  double mean_norm_ = 0, noise_norm_ = 0;
};

}  // namespace trilemma
