#pragma once
// Bit streams, starting with the lowest bit of the first byte.

#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "base/types.hpp"

namespace trilemma {

static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

/// Returns ceil(log2(n)), the number of bits that distinguish n values; 0 for n <= 1.
inline unsigned bits_for(std::uint64_t n) {
  return n <= 1 ? 0U : static_cast<unsigned>(std::bit_width(n - 1));
}

/// Returns the length in bits of the Elias gamma code (Elias 1975) of v >= 1.
inline unsigned gamma_bits(std::uint64_t v) {
  return 2U * static_cast<unsigned>(std::bit_width(v)) - 1U;
}

/// Writes fields of bits one after the other into a buffer, which must have room for all of them.
class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> out) : out_(out) {}

  /// Writes the lowest `bits` bits of `field`, at most 64. All higher bits of `field` must be 0.
  void put(std::uint64_t field, unsigned bits) {
    word_ |= field << filled_;
    filled_ += bits;
    if (filled_ < 64) return;
    store(sizeof(word_));
    filled_ -= 64;
    const unsigned stored = bits - filled_;
    word_ = stored == 64 ? 0 : field >> stored;
  }
  /// Writes `ones` ones and a zero.
  void put_unary(std::uint64_t ones) {
    for (; ones >= 32; ones -= 32) put(0xFFFFFFFFU, 32);
    put((1ULL << ones) - 1, static_cast<unsigned>(ones) + 1);
  }
  /// Writes the Elias gamma code of v >= 1: the number of bits after the leading one in unary, then
  /// these bits.
  void put_gamma(std::uint64_t v) {
    const auto rest = static_cast<unsigned>(std::bit_width(v)) - 1;
    put_unary(rest);
    put(v ^ (1ULL << rest), rest);
  }
  /// Fills up the last byte with zeros. Nothing may be written afterwards.
  void finish() {
    store((filled_ + 7) / 8);
    expect(at_ == out_.size(), "a message is shorter than its declared size");
  }

 private:
  void store(std::size_t bytes) {
    expect(at_ + bytes <= out_.size(), "a message is longer than its declared size");
    if (bytes > 0) std::memcpy(out_.data() + at_, &word_, bytes);
    at_ += bytes;
  }

  std::span<std::byte> out_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  unsigned filled_ = 0;
};

/// Calls put(writer) with a copy of `out`, for loops over many fields. The compiler must assume
/// that the fields to be written alias `out`, but knows that they do not alias the copy.
template <class Put>
void write(BitWriter& out, Put&& put) {
  BitWriter copy = out;
  put(copy);
  out = copy;
}

/// Reads the fields that a BitWriter has written. Throws RunFailure if the buffer ends too early.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> in) : in_(in), left_(in.size() * 8) {}

  /// Returns the next `bits` bits, at most 64.
  std::uint64_t get(unsigned bits) {
    if (bits > 56) {
      const std::uint64_t low = get(32);
      return low | get(bits - 32) << 32;
    }
    const std::uint64_t field = peek() & ((1ULL << bits) - 1);
    skip(bits);
    return field;
  }
  /// Returns the number of ones before the next zero, and skips both.
  std::uint64_t get_unary() {
    constexpr unsigned seen = 56;
    std::uint64_t ones = 0;
    for (;;) {
      const auto here = static_cast<unsigned>(std::countr_one(peek()));
      if (here < seen) {
        skip(here + 1);
        return ones + here;
      }
      skip(seen);
      ones += seen;
    }
  }
  /// Returns the next number in Rice code: the quotient in unary, then `rice` bits. Throws
  /// RunFailure if the quotient exceeds `most`.
  std::uint64_t get_rice(unsigned rice, std::uint64_t most) {
    const std::uint64_t window = peek();
    const auto ones = static_cast<unsigned>(std::countr_one(window));
    if (ones + 1 + rice > 56) {
      const std::uint64_t quotient = get_unary();
      if (quotient > most) refuse();
      return (quotient << rice) + get(rice);
    }
    if (ones > most) refuse();
    skip(ones + 1 + rice);
    const std::uint64_t rest = window >> (ones + 1) & ((1ULL << rice) - 1);
    return (std::uint64_t{ones} << rice) + rest;
  }
  /// Returns the next number in Elias gamma code. Throws RunFailure unless it is below 2^32.
  std::uint64_t get_gamma() {
    const std::uint64_t rest = get_unary();
    if (rest > 31) refuse();
    return 1ULL << rest | get(static_cast<unsigned>(rest));
  }
  /// Returns the number of bits read. Throws RunFailure if anything follows other than the zeros
  /// that fill up the last byte.
  std::uint64_t finish() {
    const std::uint64_t read = in_.size() * 8 - left_;
    if (left_ >= 8 || get(static_cast<unsigned>(left_)) != 0) refuse();
    return read;
  }
  /// Throws the RunFailure that reports an invalid message.
  [[noreturn]] void refuse() const {
    throw RunFailure(
        fmt::format("a message of {} bytes arrived that no encoder can have produced", in_.size()));
  }

 private:
  // Returns at least the next 56 bits, with zeros after the end.
  std::uint64_t peek() const {
    const std::size_t at = in_.size() - (left_ + 7) / 8;
    const auto done = static_cast<unsigned>((8 - left_ % 8) % 8);
    const std::size_t rest = in_.size() - at;
    std::uint64_t word = 0;
    if (rest >= sizeof(word))
      std::memcpy(&word, in_.data() + at, sizeof(word));
    else if (rest > 0)
      std::memcpy(&word, in_.data() + at, rest);
    return word >> done;
  }
  void skip(unsigned bits) {
    if (bits > left_) refuse();
    left_ -= bits;
  }

  std::span<const std::byte> in_;
  std::uint64_t left_;  ///< bits
};

}  // namespace trilemma
