#include "core/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/secret.hpp"
#include "core/vmath.hpp"

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

inline double radius(std::uint64_t w) {
  const double u = (vmath::from_integer(w) + 0.5) * 0x1p-32;
  return std::sqrt(-2.0 * vmath::log(u));
}

// What follows is compiled for each generator apart, so that the choice costs nothing within loops.
using Lanes = void (*)(const Key&, const std::uint32_t*, Blocks&);

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
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const double r = radius(blocks.word[2 * half][l]);
        const auto turn = vmath::sincos_turn(blocks.word[2 * half + 1][l]);
        number[2 * half][l] = r * turn.cos;
        number[2 * half + 1][l] = r * turn.sin;
      }
    }
    const std::uint64_t stop = std::min(end, 4 * (base + lanes));
    for (; index < stop; ++index) out[index - first] = number[index % 4][index / 4 - base];
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
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool second = lane[l] >= 2;
      const double r = radius(second ? blocks.word[2][l] : blocks.word[0][l]);
      const auto turn = vmath::sincos_turn(second ? blocks.word[3][l] : blocks.word[1][l]);
      number[l] = r * ((lane[l] & 1) != 0 ? turn.sin : turn.cos);
    }
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
  const double r = std::sqrt(-2.0 * std::log((word[pair] + 0.5) * 0x1p-32));
  const double angle = 6.283185307179586 * (word[pair + 1] * 0x1p-32);
  return r * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace trilemma
