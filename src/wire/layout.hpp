#pragma once
// The exact encoding of a message. A compressor declares a layout; measure() says how many bits a
// message takes before it is encoded, and encode() produces exactly that many.

#include <algorithm>
#include <string>

#include "base/types.hpp"

namespace trilemma {

/// Format of the values on the wire.
enum class ValueFormat {
  float32,
  float64,
  bfloat16,  ///< the upper half of a float32
  float16,   ///< IEEE binary16, after a common exponent of 8 bits for the whole message
  natural    ///< sign and exponent of a float32 that is a power of two, 9 bits; or 0
};
unsigned bits_of(ValueFormat format);

/// How the receiver learns which coordinates a message carries. They ascend.
enum class IndexCode {
  all,      ///< every coordinate, in order: no bits
  keyed,    ///< drawn by both sides from the keyed stream: no bits
  fixed,    ///< ceil(log2 d) bits each
  rice,     ///< the gaps between them by a Rice code, whose parameter of 5 bits comes first
  bitmap,   ///< one bit for each of the d coordinates
  smallest  ///< that of the three before which is the shortest, after 2 bits that say which
};

/// Largest size of a level that LevelCode::rans can take.
inline constexpr std::uint32_t most_rans_levels = 4095;

/// How levels, signed integers of size s at most, are written.
enum class LevelCode {
  fixed,  ///< level + s in ceil(log2(2 s + 1)) bits
  gamma,  ///< |level| + 1 by its Elias gamma code, and a sign unless it is 0
  runs,   ///< those that are not 0 only: gap before, size (gamma codes) and sign (QSGD, appendix A)
  rans,   ///< sizes by an entropy coder with their frequencies in the message
  trits,  ///< s = 1: five in a byte
  sign    ///< -1 or 1: a bit
};

struct Message;

/// Message = header (the number of entries, where neither the layout nor the size tell it), then
/// `scalars` values, then indices, then entries. An entry is a value, or a level if `levels` is not
/// 0. All fields are packed bit by bit, lowest bit first.
struct Layout {
  std::size_t dimension = 0;
  std::size_t count = 0;
  IndexCode index = IndexCode::all;
  std::size_t scalars = 0;
  std::uint32_t levels = 0;  ///< s, the largest size of a level; 0 = entries are values
  LevelCode level = LevelCode::fixed;
  ValueFormat value = ValueFormat::float32;
  /// `count` is the most: each message has its own number of entries.
  bool varies = false;

  /// All messages have the same size.
  bool is_equal() const;
  /// The number of entries travels in front.
  bool has_header() const { return varies && !(has_equal_fields() && entry_bits() >= 8); }
  /// Scalars are float32, or float64 where values are.
  ValueFormat scalar() const {
    return value == ValueFormat::float64 ? ValueFormat::float64 : ValueFormat::float32;
  }
  /// Most bits that a message takes: what every message takes where all are equal.
  std::uint64_t most_bits() const;
  /// Bytes handed to the transport where all are equal: rounded up.
  std::size_t bytes() const { return static_cast<std::size_t>((most_bits() + 7) / 8); }
  /// Size where a value counts `value_bits` bits, or those of its format if it has fewer than 32, a
  /// level the bits that tell all levels apart, and indices nothing: the papers' accounting.
  double model_bits(double value_bits, std::size_t entries) const;
  /// Bits of an entry and of what says where it belongs, where both have fields of one size.
  unsigned entry_bits() const;
  /// Whether all fields have the same size in every message.
  bool has_equal_fields() const;
};

/// What a message says; which fields are used is the layout's business.
struct Message {
  Vector scalar;
  std::vector<std::uint32_t> index;  ///< empty with IndexCode::all
  Vector value;                      ///< entries, if levels == 0
  std::vector<std::int32_t> level;   ///< entries, if levels > 0

  /// Their number.
  std::size_t entries() const { return std::max(value.size(), level.size()); }
};

/// How a message will be written.
struct Measure {
  std::uint64_t bits = 0;  ///< exact
  IndexCode index = IndexCode::all;
  unsigned rice = 0;  ///< its parameter

  /// Handed to the transport: rounded up.
  std::size_t bytes() const { return static_cast<std::size_t>((bits + 7) / 8); }
};
Measure measure(const Layout& layout, const Message& message);

/// Writes the message, as measured, into `out` (measured.bytes() of them).
void encode(const Layout& layout, const Message& message, const Measure& measured,
            std::span<std::byte> out);

/// Reads a message and returns its size in bits; with IndexCode::keyed `index` is left empty.
/// Throws RunFailure where the bytes do not fit the layout (size, index or level out of range,
/// order).
std::uint64_t decode(const Layout& layout, std::span<const std::byte> bytes, Message& message);

/// The values of a message that says nothing else, not even where they belong (IndexCode::all), and
/// holds them as the program does, where they are; empty otherwise.
ConstView values_in_place(const Layout& layout, std::span<const std::byte> bytes);

}  // namespace trilemma
