// Random words of many blocks of a stream at once, from Philox or from ChaCha20. Compiled once for
// each vector width, hence the include guard that Highway toggles.

#include <hwy/highway.h>  // before the guard, which it sees to

#if defined(TRILEMMA_NUMERIC_GENERATOR_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef TRILEMMA_NUMERIC_GENERATOR_LANES
#undef TRILEMMA_NUMERIC_GENERATOR_LANES
#else
#define TRILEMMA_NUMERIC_GENERATOR_LANES
#endif

#include <algorithm>
#include <array>
#include <type_traits>

#include "numeric/random.hpp"
#include "numeric/secret.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::ScalableTag<std::uint64_t>;
using NumberTag = hn::ScalableTag<double>;
using Words = hn::Vec<WordTag>;
using Numbers = hn::Vec<NumberTag>;

// Number of interleaved chains of dependent operations; a single chain would stall on its own
// latency. Limited by the number of registers.
constexpr std::size_t ways = hn::MaxLanes(WordTag()) >= 8 ? 4 : 2;

// Number of blocks that one step of the vector code processes; fewer if fewer are requested.
constexpr std::size_t lanes = 8 * ways;

// Calls f with the smallest supported step size that covers `blocks`, as a compile-time constant.
template <class F>
HWY_INLINE void with_step(std::size_t blocks, const F& f) {
  if (blocks <= 8) return f(std::integral_constant<std::size_t, 8>());
  if (blocks <= 16) return f(std::integral_constant<std::size_t, 16>());
  return f(std::integral_constant<std::size_t, lanes>());
}

// Returns how many vectors are interleaved for `count` lanes.
constexpr std::size_t turns_of(std::size_t count) {
  return std::min(ways, count / hn::MaxLanes(WordTag()));
}

// A word occupies the lower half of its lane; the upper half is ignored.
template <std::size_t count>
struct Blocks {
  alignas(64) std::uint64_t word[4][count];
};

// Computes ten Philox rounds for each counter (block, round, client, purpose). State words are kept
// in 64-bit lanes so that the 32 x 32 -> 64 bit products need no shuffles.
class PhiloxLanes {
 public:
  explicit PhiloxLanes(const Key& key) : key_(key) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
      round_key_[r][0] = static_cast<std::uint32_t>(key.seed) + r * 0x9E3779B9U;
      round_key_[r][1] = static_cast<std::uint32_t>(key.seed >> 32U) + r * 0xBB67AE85U;
    }
  }
  const Key& key() const { return key_; }
  // Writes the words of the `count` blocks with the numbers block[0], block[1], ...
  template <std::size_t count>
  HWY_INLINE void fill(const std::uint32_t* block, Blocks<count>& out) const {
    constexpr WordTag wide;
    const Words m0 = hn::Set(wide, 0xD2511F53ULL);
    const Words m1 = hn::Set(wide, 0xCD9E8D57ULL);
    const std::size_t step = hn::Lanes(wide);
    constexpr std::size_t turns = turns_of(count);
    for (std::size_t l = 0; l < count; l += turns * step) {
      Words c[4][turns];
      for (std::size_t v = 0; v < turns; ++v) {
        c[0][v] = hn::PromoteTo(
            wide, hn::LoadU(hn::Rebind<std::uint32_t, WordTag>(), block + l + v * step));
        c[1][v] = hn::Set(wide, std::uint64_t{key_.round});
        c[2][v] = hn::Set(wide, std::uint64_t{key_.client});
        c[3][v] = hn::Set(wide, static_cast<std::uint64_t>(key_.purpose));
      }
      for (const auto& k : round_key_)
        for (std::size_t v = 0; v < turns; ++v) {
          const Words p0 = times(c[0][v], m0);
          const Words p1 = times(c[2][v], m1);
          c[0][v] = hn::Xor3(hn::ShiftRight<32>(p1), c[1][v], hn::Set(wide, k[0]));
          c[2][v] = hn::Xor3(hn::ShiftRight<32>(p0), c[3][v], hn::Set(wide, k[1]));
          c[1][v] = p1;
          c[3][v] = p0;
        }
      for (std::size_t w = 0; w < 4; ++w)
        for (std::size_t v = 0; v < turns; ++v)
          hn::Store(c[w][v], wide, out.word[w] + l + v * step);
    }
  }

 private:
  static constexpr std::uint32_t rounds = 10;
  static HWY_INLINE Words times(Words a, Words b) {
    constexpr hn::Repartition<std::uint32_t, WordTag> narrow;
    return hn::MulEven(hn::BitCast(narrow, a), hn::BitCast(narrow, b));
  }
  const Key& key_;
  std::uint64_t round_key_[rounds][2];
};

// Generates the words from the keystream of the secret: block b is a quarter of ChaCha20 block b /
// 4, so word i of a stream is word i of the keystream. Lanes with consecutive ChaCha20 blocks share
// a call.
class ChaChaLanes {
 public:
  explicit ChaChaLanes(const Key& key) : key_(key) {}
  const Key& key() const { return key_; }
  // Writes the words of the `count` blocks with the numbers block[0], block[1], ...
  template <std::size_t count>
  void fill(const std::uint32_t* block, Blocks<count>& out) const {
    const std::array<std::uint32_t, 3> nonce{static_cast<std::uint32_t>(key_.purpose), key_.client,
                                             key_.round};
    std::uint32_t word[16 * count];
    for (std::size_t l = 0; l < count;) {
      const std::size_t first = block[l] / 4;
      std::size_t last = first;
      std::size_t end = l + 1;
      for (; end < count && block[end] / 4 - last <= 1; ++end) last = block[end] / 4;
      key_.secret->keystream(nonce, static_cast<std::uint32_t>(first),
                             std::span(word).first(16 * (last - first + 1)));
      for (; l < end; ++l)
        for (std::size_t w = 0; w < 4; ++w) out.word[w][l] = word[4 * (block[l] - 4 * first) + w];
    }
  }

 private:
  const Key& key_;
};

}  // namespace
}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
