#pragma once

#include "base/packets.hpp"
#include "compress/receiver.hpp"
#include "experiment/plan.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// Decodes messages as the server does and removes the compressor's gain and the shift, which a
/// reader of all messages knows.
class MessageReader {
 public:
  /// `plan` is the plan of one run, in which clients have `records` records each, and must outlive
  /// this object.
  MessageReader(const Plan& plan, std::size_t records);
  /// Returns the released vector of the sender of message number `at` of a round, by coordinate;
  /// NaN at coordinates that were not sent. Must be called once per message, in the order of the
  /// rounds. Valid until the next call.
  std::span<const double> read(const Packets& messages, std::size_t at, std::uint32_t client,
                               std::uint32_t round);
  /// Returns whether the client would send coordinate j in this round, which is known to everyone
  /// who can draw masks.
  bool sends(std::uint32_t client, std::uint32_t round, std::size_t j);
  /// Returns all coordinates that the client would send; valid until the next call of sends() or
  /// support().
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
  std::unique_ptr<ClientMemory> memory_;  ///< for all clients
  double gain_ = 1;
  std::vector<std::uint32_t> support_;
  std::vector<double> value_;     ///< entries of one message
  std::vector<double> released_;  ///< the message by coordinate
};

}  // namespace trilemma
