#include "numeric/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/secret.hpp"
#include "numeric/vmath.hpp"

namespace trilemma {
namespace {

// One step of the vector code works on this many blocks; sized for 512-bit registers.
constexpr std::size_t lanes = 16;

struct Blocks {
  alignas(64) std::uint64_t word[4][lanes];
};

// Ten Philox rounds for `lanes` counters (block, round, client, purpose). State words are kept in
// 64-bit lanes so that the 32 x 32 -> 64 bit products need no shuffles.
void philox_lanes(const Key& key, const std::uint32_t* block, Blocks& out) {
  constexpr std::uint64_t low = 0xFFFFFFFFULL;
  const auto round = static_cast<std::uint64_t>(key.round);
  const auto client = static_cast<std::uint64_t>(key.client);
  const auto purpose = static_cast<std::uint64_t>(key.purpose);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::uint64_t c0 = block[l];
    std::uint64_t c1 = round;
    std::uint64_t c2 = client;
    std::uint64_t c3 = purpose;
    std::uint64_t k0 = key.seed & low;
    std::uint64_t k1 = key.seed >> 32;
    for (int r = 0; r < 10; ++r) {
      const std::uint64_t p0 = (c0 & low) * 0xD2511F53ULL;
      const std::uint64_t p1 = (c2 & low) * 0xCD9E8D57ULL;
      c0 = (p1 >> 32) ^ c1 ^ k0;
      c1 = p1 & low;
      c2 = (p0 >> 32) ^ c3 ^ k1;
      c3 = p0 & low;
      k0 = (k0 + 0x9E3779B9ULL) & low;
      k1 = (k1 + 0xBB67AE85ULL) & low;
    }
    out.word[0][l] = c0;
    out.word[1][l] = c1;
    out.word[2][l] = c2;
    out.word[3][l] = c3;
  }
}

// The same from the secret's keystream: block b is a quarter of ChaCha20 block b / 4, so word i of
// a stream is word i of the keystream. Lanes whose ChaCha20 blocks follow each other share a call.
void chacha_lanes(const Key& key, const std::uint32_t* block, Blocks& out) {
  const std::array<std::uint32_t, 3> nonce{static_cast<std::uint32_t>(key.purpose), key.client,
                                           key.round};
  std::uint32_t word[16 * lanes];
  for (std::size_t l = 0; l < lanes;) {
    const std::size_t first = block[l] / 4;
    std::size_t last = first;
    std::size_t end = l + 1;
    for (; end < lanes && block[end] / 4 - last <= 1; ++end) last = block[end] / 4;
    key.secret->keystream(nonce, static_cast<std::uint32_t>(first),
                          std::span(word).first(16 * (last - first + 1)));
    for (; l < end; ++l)
      for (std::size_t w = 0; w < 4; ++w) out.word[w][l] = word[4 * (block[l] - 4 * first) + w];
  }
}

inline double radius_of(double uniform) { return std::sqrt(-2.0 * vmath::log(uniform)); }

inline double radius(std::uint64_t w) {
  return radius_of((vmath::from_integer(w) + 0.5) * 0x1p-32);
}

// Words below this are too few to stand for a tail of the law: more bits follow them.
constexpr std::uint64_t tail_words = std::uint64_t{1} << 16U;
// The top bit of w - tail_words, for w < 2^32, says whether w is one of them.
constexpr unsigned top_bit = 63;
// Takes the extensions out of the way of all other numbers of a key.
constexpr std::uint32_t tail_flag = 0x80000000U;

// What follows is compiled for each generator apart, so that the choice costs nothing within loops.
using Lanes = void (*)(const Key&, const std::uint32_t*, Blocks&);

// The radius of a pair (first or second of its block) whose word is a tail word.
template <Lanes generate>
[[gnu::noinline]] double tail_radius(const Key& key, std::uint32_t block, bool second,
                                     std::uint64_t word) {
  Key tail = key;
  tail.purpose = static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tail_flag);
  std::uint32_t place[lanes];
  std::fill_n(place, lanes, 2 * block + (second ? 1U : 0U));
  Blocks more;
  generate(tail, place, more);
  std::uint32_t bits[4];
  for (std::size_t i = 0; i < 4; ++i) bits[i] = static_cast<std::uint32_t>(more.word[i][0]);
  return normal_radius(static_cast<std::uint32_t>(word), bits);
}

template <Lanes generate>
void words_from(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  Blocks blocks;
  std::uint32_t block[lanes];
  for (std::size_t done = 0; done < out.size(); done += 4 * lanes) {
    for (std::size_t l = 0; l < lanes; ++l)
      block[l] = first_block + static_cast<std::uint32_t>(done / 4 + l);
    generate(key, block, blocks);
    const std::size_t count = std::min(4 * lanes, out.size() - done);
    for (std::size_t i = 0; i < count; ++i)
      out[done + i] = static_cast<std::uint32_t>(blocks.word[i % 4][i / 4]);
  }
}

// Recomputes the numbers of pairs with tail words.
template <Lanes generate>
[[gnu::noinline]] void extend_tails(const Key& key, const std::uint32_t* block,
                                    const Blocks& blocks, double (&number)[4][lanes]) {
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint64_t word = blocks.word[2 * half][l];
      if (word >= tail_words) continue;
      const double r = tail_radius<generate>(key, block[l], half == 1, word);
      const auto turn = vmath::sincos_turn(blocks.word[2 * half + 1][l]);
      number[2 * half][l] = r * turn.cos;
      number[2 * half + 1][l] = r * turn.sin;
    }
}

template <Lanes generate>
void normals_from(const Key& key, std::uint32_t first, std::span<double> out) {
  Blocks blocks;
  std::uint32_t block[lanes];
  alignas(64) double number[4][lanes];
  std::uint64_t index = first;
  const std::uint64_t end = index + out.size();
  while (index < end) {
    const std::uint64_t base = index / 4;
    for (std::size_t l = 0; l < lanes; ++l) block[l] = static_cast<std::uint32_t>(base + l);
    generate(key, block, blocks);
    std::uint64_t small = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const double r = radius(blocks.word[2 * half][l]);
        const auto turn = vmath::sincos_turn(blocks.word[2 * half + 1][l]);
        number[2 * half][l] = r * turn.cos;
        number[2 * half + 1][l] = r * turn.sin;
        small |= blocks.word[2 * half][l] - tail_words;
      }
    }
    if (small >> top_bit != 0) extend_tails<generate>(key, block, blocks, number);
    const std::uint64_t stop = std::min(end, 4 * (base + lanes));
    for (; index < stop; ++index) out[index - first] = number[index % 4][index / 4 - base];
  }
}

// The same where every lane has a number of its own.
template <Lanes generate>
[[gnu::noinline]] void extend_tails_at(const Key& key, const std::uint32_t* block,
                                       const std::uint64_t* lane, const Blocks& blocks,
                                       double (&number)[lanes]) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t pair = lane[l] >= 2 ? 2 : 0;
    const std::uint64_t word = blocks.word[pair][l];
    if (word >= tail_words) continue;
    const double r = tail_radius<generate>(key, block[l], pair == 2, word);
    const auto turn = vmath::sincos_turn(blocks.word[pair + 1][l]);
    number[l] = r * ((lane[l] & 1) != 0 ? turn.sin : turn.cos);
  }
}

template <Lanes generate>
void normals_at_from(const Key& key, Coordinates at, std::span<double> out) {
  Blocks blocks;
  std::uint32_t block[lanes];
  std::uint64_t lane[lanes];
  alignas(64) double number[lanes];
  for (std::size_t done = 0; done < at.size(); done += lanes) {
    const std::size_t count = std::min(lanes, at.size() - done);
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint32_t place = at[done + std::min(l, count - 1)];
      block[l] = place / 4;
      lane[l] = place % 4;
    }
    generate(key, block, blocks);
    std::uint64_t small = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool second = lane[l] >= 2;
      const std::uint64_t word = second ? blocks.word[2][l] : blocks.word[0][l];
      const auto turn = vmath::sincos_turn(second ? blocks.word[3][l] : blocks.word[1][l]);
      number[l] = radius(word) * ((lane[l] & 1) != 0 ? turn.sin : turn.cos);
      small |= word - tail_words;
    }
    if (small >> top_bit != 0) extend_tails_at<generate>(key, block, lane, blocks, number);
    std::copy_n(number, count, out.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

}  // namespace

void philox_block(const Key& key, std::uint32_t block, std::uint32_t out[4]) {
  const r123::Philox4x32::ctr_type counter{
      {block, key.round, key.client, static_cast<std::uint32_t>(key.purpose)}};
  const r123::Philox4x32::key_type words{
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
  const auto result = r123::Philox4x32()(counter, words);
  for (std::size_t i = 0; i < 4; ++i) out[i] = result[i];
}

void random_words(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  if (key.secret == nullptr)
    words_from<philox_lanes>(key, first_block, out);
  else
    words_from<chacha_lanes>(key, first_block, out);
}

void normals(const Key& key, std::uint32_t first, std::span<double> out) {
  if (key.secret == nullptr)
    normals_from<philox_lanes>(key, first, out);
  else
    normals_from<chacha_lanes>(key, first, out);
}

void normals_at(const Key& key, Coordinates at, std::span<double> out) {
  if (key.secret == nullptr)
    normals_at_from<philox_lanes>(key, at, out);
  else
    normals_at_from<chacha_lanes>(key, at, out);
}

double normal_radius(std::uint32_t word, std::span<const std::uint32_t, 4> more) {
  if (word >= tail_words) return radius(word);
  double uniform = 0.5;
  for (std::size_t i = 4; i-- > 0;) uniform = (uniform + more[i]) * 0x1p-32;
  return radius_of((uniform + word) * 0x1p-32);
}

double largest_normal() { return std::sqrt(2.0 * 161.0 * 0.6931471805599453); }

std::uint32_t Stream::below(std::uint32_t bound) {
  std::uint64_t product = static_cast<std::uint64_t>(word()) * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t reject = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < reject)
      product = static_cast<std::uint64_t>(word()) * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

void Stream::refill() {
  random_words(key_, next_block_, buffer_);
  next_block_ += buffered / 4;
  used_ = 0;
}

double normal_reference(const Key& key, std::uint32_t index) {
  std::uint32_t word[4];
  philox_block(key, index / 4, word);
  const std::uint32_t pair = (index % 4) / 2 * 2;
  double u = 0.5;
  if (word[pair] < tail_words) {
    Key tail = key;
    tail.purpose = static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tail_flag);
    std::uint32_t more[4];
    philox_block(tail, 2 * (index / 4) + pair / 2, more);
    u = more[0] * 0x1p-32 + more[1] * 0x1p-64 + more[2] * 0x1p-96 + (more[3] + 0.5) * 0x1p-128;
  }
  const double r = std::sqrt(-2.0 * std::log((word[pair] + u) * 0x1p-32));
  const double angle = 6.283185307179586 * (word[pair + 1] * 0x1p-32);
  return r * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace trilemma
