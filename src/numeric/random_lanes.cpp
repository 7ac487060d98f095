#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/box_muller.hpp"
#include "numeric/random.hpp"
#include "numeric/secret.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/random_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// One step of the vector code works on this many blocks; sized for 512-bit registers.
constexpr std::size_t lanes = 16;

struct Blocks {
  alignas(64) std::uint64_t word[4][lanes];
};

// Ten Philox rounds for `lanes` counters (block, round, client, purpose). State words are kept in
// 64-bit lanes so that the 32 x 32 -> 64 bit products need no shuffles; what they leave in the
// upper halves is not looked at.
void philox_lanes(const Key& key, const std::uint32_t* block, Blocks& out) {
  constexpr int rounds = 10;
  const hn::ScalableTag<std::uint64_t> wide;
  const hn::Repartition<std::uint32_t, decltype(wide)> narrow;
  using Words = hn::Vec<decltype(wide)>;
  const auto times = [&](const Words& a, const Words& b) HWY_ATTR {
    return hn::MulEven(hn::BitCast(narrow, a), hn::BitCast(narrow, b));
  };
  const Words m0 = hn::Set(wide, 0xD2511F53ULL);
  const Words m1 = hn::Set(wide, 0xCD9E8D57ULL);
  const Words low = hn::Set(wide, 0xFFFFFFFFULL);
  for (std::size_t l = 0; l < lanes; l += hn::Lanes(wide)) {
    Words c0 =
        hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::uint32_t, decltype(wide)>(), block + l));
    Words c1 = hn::Set(wide, std::uint64_t{key.round});
    Words c2 = hn::Set(wide, std::uint64_t{key.client});
    Words c3 = hn::Set(wide, static_cast<std::uint64_t>(key.purpose));
    auto k0 = static_cast<std::uint32_t>(key.seed);
    auto k1 = static_cast<std::uint32_t>(key.seed >> 32U);
    for (int r = 0; r < rounds; ++r) {
      const Words p0 = times(c0, m0);
      const Words p1 = times(c2, m1);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(wide, std::uint64_t{k0}));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(wide, std::uint64_t{k1}));
      c1 = p1;
      c3 = p0;
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    hn::Store(hn::And(c0, low), wide, out.word[0] + l);
    hn::Store(hn::And(c1, low), wide, out.word[1] + l);
    hn::Store(hn::And(c2, low), wide, out.word[2] + l);
    hn::Store(hn::And(c3, low), wide, out.word[3] + l);
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

// The top bit of w - tail_words, for w < 2^32, says whether w is one of them.
constexpr unsigned top_bit = 63;

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
    const std::size_t count = out.size() - done;
    std::uint32_t* const to = out.data() + done;
    if (count >= 4 * lanes) {  // a loop of known length is spelled out
      for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t w = 0; w < 4; ++w)
          to[4 * l + w] = static_cast<std::uint32_t>(blocks.word[w][l]);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<std::uint32_t>(blocks.word[i % 4][i / 4]);
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
    if (index == 4 * base && stop == 4 * (base + lanes)) {
      double* to = out.data() + (index - first);
      for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t n = 0; n < 4; ++n) to[4 * l + n] = number[n][l];
      index = stop;
    }
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

void words_of(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  if (key.secret == nullptr)
    words_from<philox_lanes>(key, first_block, out);
  else
    words_from<chacha_lanes>(key, first_block, out);
}

void normals_of(const Key& key, std::uint32_t first, std::span<double> out) {
  if (key.secret == nullptr)
    normals_from<philox_lanes>(key, first, out);
  else
    normals_from<chacha_lanes>(key, first, out);
}

void scattered_normals_of(const Key& key, Coordinates at, std::span<double> out) {
  if (key.secret == nullptr)
    normals_at_from<philox_lanes>(key, at, out);
  else
    normals_at_from<chacha_lanes>(key, at, out);
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(words_of);
HWY_EXPORT(normals_of);
HWY_EXPORT(scattered_normals_of);

void random_words(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  HWY_DYNAMIC_DISPATCH(words_of)(key, first_block, out);
}

void normals(const Key& key, std::uint32_t first, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(normals_of)(key, first, out);
}

void normals_at(const Key& key, Coordinates at, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(scattered_normals_of)(key, at, out);
}

}  // namespace trilemma
#endif
