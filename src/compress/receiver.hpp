#pragma once

#include "compress/compressor.hpp"

namespace trilemma {

/// The receiving end of a compressor: decodes the bytes of a message to the vector they represent.
class Receiver {
 public:
  /// `compressor` must outlive this object.
  explicit Receiver(Compressor& compressor)
      : compressor_(compressor), layout_(compressor.layout()) {}

  /// Decodes `message`; `mask` is the key with which its sender compressed it. The result is valid
  /// until the next call, and no longer than `message`.
  SparseView open(std::span<const std::byte> message, const Key& mask) {
    if (compressor_.is_oblivious()) {
      // Values in the program's own format are used in place, without a copy.
      if (const ConstView values = values_in_place(layout_, message); !values.empty()) {
        bits_ = 8 * std::uint64_t{message.size()};
        entries_ = values.size();
        return {Support::all(), values};
      }
    }
    bits_ = decode(layout_, message, message_, layout_.is_keyed ? compressor_.entries(mask) : 0);
    entries_ = message_.entries();
    compressor_.recall(mask, message_);
    return compressor_.expand(message_);
  }

  /// Exact size in bits, and number of entries, of the last message.
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
