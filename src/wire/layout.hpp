#pragma once
// The exact encoding of a message. A compressor declares a layout; measure() returns the size of a
// message before it is encoded, and encode() produces exactly that number of bits.

#include <algorithm>
#include <string>

#include "base/types.hpp"

namespace trilemma {

/// Format of the values on the wire.
enum class ValueFormat {
  float32,
  float64,
  bfloat16,  ///< the upper half of a float32
  float16,   ///< IEEE binary16, after an exponent of 8 bits that all values share
  natural    ///< 0, or a power of two as the sign and exponent of a float32: 9 bits
};
/// Returns the number of bits of one value in `format`.
unsigned bits_of(ValueFormat format);

/// How the receiver learns the coordinates of a message, which are in ascending order.
enum class IndexCode {
  all,      ///< every coordinate, in order: no bits
  keyed,    ///< drawn by both sides from the keyed stream: no bits
  fixed,    ///< ceil(log2 d) bits each
  rice,     ///< gaps between coordinates in Rice code, preceded by its parameter in 5 bits
  bitmap,   ///< one bit for each of the d coordinates
  smallest  ///< the shortest of the three codes above, preceded by 2 bits that name it
};

/// Largest magnitude of a level that LevelCode::rans supports.
inline constexpr std::uint32_t most_rans_levels = 4095;

/// How levels, signed integers of magnitude at most s, are encoded.
enum class LevelCode {
  fixed,  ///< level + s in ceil(log2(2 s + 1)) bits
  gamma,  ///< Elias gamma code of |level| + 1, and a sign unless the level is 0
  runs,   ///< nonzero levels only: gap before it and magnitude (gamma codes), and sign (QSGD,
          ///< appendix A)
  rans,   ///< magnitudes by an entropy coder whose frequencies are part of the message
  trits,  ///< s = 1: five levels per byte
  sign,   ///< levels -1 and 1: one bit
  words   ///< s = 2^(b-1): integers modulo 2^b, as levels -s to s - 1 in b bits
};

struct Message;

/// Format of a message: a header (the number of entries, if neither the layout nor the size
/// determines it), `scalars` values, the indices, and the entries. An entry is a value, or a level
/// if `levels` is not 0. All fields are packed bit by bit, lowest bit first.
struct Layout {
  std::size_t dimension = 0;
  std::size_t count = 0;
  IndexCode index = IndexCode::all;
  std::size_t scalars = 0;
  std::uint32_t levels = 0;  ///< s, the largest magnitude of a level; 0 = entries are values
  LevelCode level = LevelCode::fixed;
  ValueFormat value = ValueFormat::float32;
  /// Whether the number of entries varies between messages; `count` is then its maximum.
  bool varies = false;
  /// Whether the key determines the number of entries, so that messages do not start with it.
  bool is_keyed = false;

  /// Returns whether all messages have the same size.
  bool is_equal() const;
  /// Returns whether messages start with their number of entries.
  bool has_header() const {
    return varies && !is_keyed && !(has_equal_fields() && entry_bits() >= 8);
  }
  /// Returns the format of scalars: float64 if values are float64, otherwise float32.
  ValueFormat scalar() const {
    return value == ValueFormat::float64 ? ValueFormat::float64 : ValueFormat::float32;
  }
  /// Returns the largest size of a message in bits, which is the size of every message if all are
  /// equal.
  std::uint64_t most_bits() const;
  /// Returns the size in bytes handed to the transport if all messages are equal, rounded up.
  std::size_t bytes() const { return static_cast<std::size_t>((most_bits() + 7) / 8); }
  /// Returns the size by the accounting of the papers: `value_bits` bits per value (or the bits of
  /// its format if these are fewer than 32), ceil(log2) of the number of levels per level, nothing
  /// for indices.
  double model_bits(double value_bits, std::size_t entries) const;
  /// Returns the bits of an entry and its index, if both have fields of fixed width.
  unsigned entry_bits() const;
  /// Returns whether every field has the same width in all messages.
  bool has_equal_fields() const;
};

/// Content of a message; the layout determines which fields are used.
struct Message {
  Vector scalar;
  std::vector<std::uint32_t> index;  ///< empty with IndexCode::all
  Vector value;                      ///< entries, if levels == 0
  std::vector<std::int32_t> level;   ///< entries, if levels > 0

  /// Returns the number of entries.
  std::size_t entries() const { return std::max(value.size(), level.size()); }
};

/// How a message will be encoded.
struct Measure {
  std::uint64_t bits = 0;  ///< exact size
  IndexCode index = IndexCode::all;
  unsigned rice = 0;  ///< parameter of the Rice code

  /// Returns the size in bytes handed to the transport, rounded up.
  std::size_t bytes() const { return static_cast<std::size_t>((bits + 7) / 8); }
};
/// Returns the encoding and the exact size of `message`.
Measure measure(const Layout& layout, const Message& message);

/// Encodes `message` as measured into `out`, which must have measured.bytes() bytes.
void encode(const Layout& layout, const Message& message, const Measure& measured,
            std::span<std::byte> out);

/// Decodes a message and returns its size in bits; `index` stays empty for IndexCode::keyed.
/// `entries` is the number of entries if the key determines it (Layout::is_keyed). Throws
/// RunFailure if `bytes` do not fit the layout (size, order, or an index or level out of range).
std::uint64_t decode(const Layout& layout, std::span<const std::byte> bytes, Message& message,
                     std::size_t entries = 0);

/// Returns the values of an encoded message as a view into `bytes` if the message consists of
/// nothing but values (IndexCode::all) in the program's own format; otherwise returns an empty
/// view.
ConstView values_in_place(const Layout& layout, std::span<const std::byte> bytes);

}  // namespace trilemma
