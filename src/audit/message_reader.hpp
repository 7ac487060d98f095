#pragma once

#include "base/packets.hpp"
#include "compress/receiver.hpp"
#include "experiment/plan.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// Opens messages as the server does and frees them of the compressor's gain and of the shift,
/// which who reads all messages knows.
class MessageReader {
 public:
  /// Of one run of a plan, which must outlive this.
  explicit MessageReader(const Plan& plan);
  /// What the sender of message number `at` of a round has released, by coordinate; NaN where
  /// nothing was sent. To be called once a message, in the order of the rounds. Valid until the
  /// next call.
  std::span<const double> read(const Packets& messages, std::size_t at, std::uint32_t client,
                               std::uint32_t round);
  /// The client would send coordinate j in this round, as anybody knows who can draw masks.
  bool sends(std::uint32_t client, std::uint32_t round, std::size_t j);
  /// All that it would send; valid until the next call of either.
  Support support(std::uint32_t client, std::uint32_t round);
  double gain() const { return gain_; }

 private:
  Key mask(std::uint32_t client, std::uint32_t round) const {
    return {seed_, Purpose::mask, client, round};
  }

  std::unique_ptr<Compressor> compressor_;
  ObliviousCompressor* oblivious_;
  std::uint64_t seed_;
  Receiver receiver_;
  std::unique_ptr<ClientMemory> memory_;  ///< of all clients
  double gain_ = 1;
  std::vector<std::uint32_t> support_;
  std::vector<double> value_;     ///< of one message
  std::vector<double> released_;  ///< the same by coordinate
};

}  // namespace trilemma
