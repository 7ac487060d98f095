#pragma once

#include "compress/compressor.hpp"

namespace trilemma {

/// The receiving end of a compressor: from the bytes of a message to the vector it stands for.
class Receiver {
 public:
  /// The compressor must outlive this.
  explicit Receiver(Compressor& compressor)
      : compressor_(compressor), layout_(compressor.layout()) {}

  /// `mask` is the key that the sender of the message compressed with. Valid until the next call,
  /// and no longer than the message is.
  SparseView open(std::span<const std::byte> message, const Key& mask) {
    if (compressor_.is_oblivious()) {
      // All coordinates as they are: nothing has to be moved.
      if (const ConstView values = values_in_place(layout_, message); !values.empty()) {
        bits_ = 8 * std::uint64_t{message.size()};
        entries_ = values.size();
        return {Support::all(), values};
      }
    }
    bits_ = decode(layout_, message, message_);
    entries_ = message_.entries();
    compressor_.recall(mask, message_);
    return compressor_.expand(message_);
  }

  /// Of the last message: its exact size, and its entries.
  std::uint64_t bits() const { return bits_; }
  std::size_t entries() const { return entries_; }

 private:
  std::uint64_t bits_ = 0;
  std::size_t entries_ = 0;
  Compressor& compressor_;
  Layout layout_;
  Message message_;
};

}  // namespace trilemma
