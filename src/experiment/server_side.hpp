#pragma once
// What rank 0 does with the messages: decode, sum in client order, restore the shift, step.

#include "algorithm/method.hpp"
#include "compress/compressor.hpp"
#include "experiment/phase_timer.hpp"

namespace trilemma {

class ServerSide {
 public:
  ServerSide(Compressor& compressor, ServerMemory& memory, ServerStep& step, std::size_t clients,
             std::size_t dimension, std::uint64_t seed);

  /// One round: `bytes` are the messages of all clients in client order; x becomes the next model.
  void run(std::uint32_t round, std::span<const std::byte> bytes, View x, PhaseTimer& timer);

 private:
  Compressor& compressor_;
  ServerMemory& memory_;
  ServerStep& step_;
  std::size_t clients_;
  std::uint64_t seed_;
  Layout layout_;
  Message message_;
  std::vector<double> mean_;
};

}  // namespace trilemma
