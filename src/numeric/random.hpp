#pragma once
// Counter-based random numbers: every number is addressed by (seed, purpose, client, round, index)
// and by nothing else, so results do not depend on ranks, threads, time or the order of evaluation.
// Generator: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011, from Random123), which is not
// cryptographic; ChaCha20 (RFC 8439) for a key that carries a secret.

#include <cstdint>

#include "base/types.hpp"

namespace trilemma {

class Secret;

/// Purpose of a random number; part of its address.
enum class Purpose : std::uint32_t {
  data = 0,
  init = 1,
  participation = 2,
  minibatch = 3,
  noise = 4,
  mask = 5,
  coin = 6,
  step_time = 7,
  audit = 8,  ///< seeds of the runs of an audit
  order = 9,  ///< order of the cells of a sweep
  finetune = 10,
  rounding = 11,  ///< rounding of values to the format of messages
  rotation = 12,
  downlink = 13,  ///< draws of the server's compressor
  training = 14,  ///< rounding of derivatives where a network computes in low precision
  output = 15,    ///< the round whose model a method releases
  graph = 16,     ///< edges of a random graph, start of the search for its eigenvalues, nodes that
                  ///< are evaluated
  augmentation = 17,  ///< crops and reflections of images
  secagg = 18,        ///< keys, masks and neighbours of secure aggregation
  dropout = 19,       ///< clients that drop out of a round
  directions = 20,    ///< common directions of zeroth-order steps
  shuffle = 21,       ///< order in which a shuffler passes on messages
};

/// Address of a stream; the index within the stream is the remaining coordinate. If there is a
/// secret, it replaces the seed, and (purpose, client, round) is the nonce.
struct Key {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::data;
  std::uint32_t client = 0;
  std::uint32_t round = 0;
  const Secret* secret = nullptr;
};

/// Writes the four 32-bit words of block `block` of a stream without a secret (scalar Random123).
void philox_block(const Key& key, std::uint32_t block, std::uint32_t out[4]);

/// Writes words 4 first_block, 4 first_block + 1, ... of a stream, computed by the vector kernel.
void random_words(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out);

/// Returns a number uniform on [0, 1) from 24 bits of `word`.
inline float unit_float(std::uint32_t word) { return static_cast<float>(word >> 8U) * 0x1p-24F; }

/// Reads one stream sequentially from a given block on. A stream has at most 2^34 words.
class Stream {
 public:
  explicit Stream(const Key& key, std::uint32_t first_block = 0)
      : key_(key), next_block_(first_block) {}

  /// Returns the next 32 random bits.
  std::uint32_t word() {
    if (used_ == buffered) refill();
    return buffer_[used_++];
  }
  /// Returns a number uniform on (0, 1) with 32 random bits, never 0 or 1.
  double uniform() { return (static_cast<double>(word()) + 0.5) * 0x1p-32; }
  /// Returns a number exactly uniform on {0, ..., bound - 1} (Lemire 2019, with rejection); bound
  /// >= 1.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t product = static_cast<std::uint64_t>(word()) * bound;
    return static_cast<std::uint32_t>(product) < bound ? settle(product, bound)
                                                       : static_cast<std::uint32_t>(product >> 32);
  }

 private:
  static constexpr std::uint32_t buffered = 64;
  void refill();
  /// Finishes below(bound) where the first word may have to be rejected.
  std::uint32_t settle(std::uint64_t product, std::uint32_t bound);

  Key key_;
  std::uint32_t next_block_;
  std::uint32_t used_ = buffered;
  std::uint32_t buffer_[buffered];
};

/// Writes the standard normal numbers `first`, first + 1, ... of a stream (Box and Muller 1958, in
/// double). A pair is (r cos a, r sin a) with r = sqrt(-2 ln u); 32 random bits of its block give
/// the angle a, and 32 give u. If the latter give u < 2^-16, they are extended by a block of 128
/// bits that belongs to this pair alone, so the relative error of u is at most 2^-16 down to u =
/// 2^-160.
void normals(const Key& key, std::uint32_t first, std::span<double> out);

/// Sets out[j] to number at[j] of the stream, bit-identical to normals().
void normals_at(const Key& key, Coordinates at, std::span<double> out);

/// Returns the largest magnitude that normals() can produce: sqrt(2 * 161 ln 2) = 14.94, reached
/// for u = 2^-161, which stands for all u < 2^-160.
double largest_normal();
/// Probability that the radius of an ideal pair exceeds largest_normal(), so that normals() cannot
/// produce the pair: 2^-160 = 7e-49.
inline constexpr double cut_pair_probability = 0x1p-160;

/// Returns the radius of a pair whose 32 bits for u are `word`. `more` is read only if `word` is
/// below 2^16. In exact arithmetic u = (word + 1/2) 2^-32, or (word + (more + 1/2) 2^-128) 2^-32,
/// where more[0] is the most significant digit of `more`.
double normal_radius(std::uint32_t word, std::span<const std::uint32_t, 4> more);

/// Returns one number of a stream without a secret: the scalar reference for `normals` in tests.
double normal_reference(const Key& key, std::uint32_t index);

/// Words of normals() below this value resolve the tail of the law too coarsely: extra bits follow
/// them.
inline constexpr std::uint32_t tail_words = std::uint32_t{1} << 16U;

/// Bits set in the purpose of a key to address the extra bits; no other number of the key uses
/// them.
inline constexpr std::uint32_t tail_flag = 0x80000000U;

}  // namespace trilemma
