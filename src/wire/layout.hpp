#pragma once
// The exact encoding of a message. A compressor declares a layout, which says how many bits a
// message takes before it is encoded; encode() produces exactly that many.

#include <algorithm>
#include <string>

#include "core/types.hpp"

namespace trilemma {

/// Format of the values on the wire.
enum class ValueFormat { float32, float64 };
inline unsigned bits_of(ValueFormat format) { return format == ValueFormat::float32 ? 32 : 64; }

/// How the receiver learns which coordinates a message carries.
enum class IndexCode {
  all,       ///< every coordinate, in order: no bits
  keyed,     ///< drawn by both sides from the keyed stream: no bits
  explicit_  ///< ceil(log2 d) bits each
};

/// Message = `scalars` values, then `count` indices, then `count` entries. An entry is a value, or
/// a level of `level_bits` bits if that is not 0. All fields are packed bit by bit, lowest bit
/// first.
struct Layout {
  std::size_t dimension = 0;
  std::size_t count = 0;
  IndexCode index = IndexCode::all;
  std::size_t scalars = 0;
  unsigned level_bits = 0;
  ValueFormat value = ValueFormat::float32;
  /// `count` is the most: each message has its own number of entries, of 8 bits at least, which
  /// follows from its size.
  bool varies = false;

  /// ceil(log2 dimension), at least 1.
  unsigned index_bits() const;
  /// Size of the encoding of a message of so many entries in bits, exact.
  std::uint64_t payload_bits(std::size_t entries) const;
  std::uint64_t payload_bits() const { return payload_bits(count); }
  /// Size where a value counts `value_bits` bits and indices are not counted: the papers'
  /// accounting.
  double model_bits(double value_bits, std::size_t entries) const {
    return static_cast<double>(scalars) * value_bits +
           static_cast<double>(entries) *
               (level_bits > 0 ? static_cast<double>(level_bits) : value_bits);
  }
  /// Bytes handed to the transport: payload_bits rounded up.
  std::size_t bytes(std::size_t entries) const {
    return static_cast<std::size_t>((payload_bits(entries) + 7) / 8);
  }
  std::size_t bytes() const { return bytes(count); }
  /// Entries of a message of so many bytes. Throws RunFailure where no message has this size.
  std::size_t entries(std::size_t bytes) const;
  /// Bits of an entry and of what says where it belongs.
  unsigned entry_bits() const;
};

/// What a message says; which fields are used is the layout's business.
struct Message {
  Vector scalar;
  std::vector<std::uint32_t> index;  ///< empty with IndexCode::all
  Vector value;                      ///< entries, if level_bits == 0
  std::vector<std::uint32_t> level;  ///< entries, if level_bits > 0

  /// Their number.
  std::size_t entries() const { return std::max(value.size(), level.size()); }
};

/// Rounds values to what the wire carries, so that both ends continue with the same numbers.
void round_to(ValueFormat format, View values);

/// Writes the message into `out` (layout.bytes(message.entries()) bytes).
void encode(const Layout& layout, const Message& message, std::span<std::byte> out);

/// Reads a message; with IndexCode::keyed `index` is left empty. Throws RunFailure where the bytes
/// do not fit the layout (size, index out of range).
void decode(const Layout& layout, std::span<const std::byte> bytes, Message& message);

}  // namespace trilemma
