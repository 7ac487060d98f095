#include <algorithm>

#include "numeric/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/random_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/box_muller_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The following functions are compiled separately for each generator, so that the choice costs
// nothing within loops.

// Returns the radius of a pair of normal numbers, the first or second pair of its block, whose
// random word is below tail_words: extra bits then resolve the tail of the law.
template <class Lanes>
[[gnu::noinline]] double tail_radius(const Key& key, std::uint32_t block, bool second,
                                     std::uint32_t word) {
  Key tail = key;
  tail.purpose = static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tail_flag);
  std::uint32_t place[8];
  std::fill_n(place, 8, 2 * block + (second ? 1U : 0U));
  Blocks<8> more;
  Lanes(tail).fill(place, more);
  std::uint32_t bits[4];
  for (std::size_t i = 0; i < 4; ++i) bits[i] = static_cast<std::uint32_t>(more.word[i][0]);
  return normal_radius(word, bits);
}

// Writes the words of `count` blocks, or as many of them as `out` has room for.
template <std::size_t count, class Lanes>
HWY_INLINE void words_of_blocks(const Lanes& source, std::uint32_t first,
                                std::span<std::uint32_t> out) {
  std::uint32_t block[count];
  for (std::size_t l = 0; l < count; ++l) block[l] = first + static_cast<std::uint32_t>(l);
  Blocks<count> blocks;
  source.fill(block, blocks);
  if (out.size() >= 4 * count) {  // a loop of known length is spelled out
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t w = 0; w < 4; ++w)
        out[4 * l + w] = static_cast<std::uint32_t>(blocks.word[w][l]);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint32_t>(blocks.word[i % 4][i / 4]);
}

template <class Lanes>
void words_from(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  const Lanes source(key);
  while (!out.empty())
    with_step((out.size() + 3) / 4, [&](auto step) HWY_ATTR {
      words_of_blocks<step>(source, first_block, out);
      first_block += step;
      out = out.subspan(std::min(out.size(), 4 * step()));
    });
}

// Recomputes the numbers of pairs whose word is below tail_words.
template <class Lanes, std::size_t count>
[[gnu::noinline]] void extend_tails(const Key& key, const std::uint32_t* block,
                                    const Blocks<count>& blocks, double* number) {
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t l = 0; l < count; ++l) {
      const auto word = static_cast<std::uint32_t>(blocks.word[2 * half][l]);
      if (word >= tail_words) continue;
      const double r = tail_radius<Lanes>(key, block[l], half == 1, word);
      const auto turn =
          vmath::sincos_turn(static_cast<std::uint32_t>(blocks.word[2 * half + 1][l]));
      number[4 * l + 2 * half] = r * turn.cos;
      number[4 * l + 2 * half + 1] = r * turn.sin;
    }
}

// Writes all numbers of `count` blocks.
template <std::size_t count, class Lanes>
HWY_INLINE void whole_blocks(const Lanes& source, const std::uint32_t* block, double* out) {
  constexpr WordTag words;
  constexpr NumberTag tag;
  Blocks<count> blocks;
  source.fill(block, blocks);
  Numbers least = all(tail_words);
  for (std::size_t l = 0; l < count; l += hn::Lanes(tag)) {
    Numbers radius[2];
    Words angle[2];
    Numbers number[4];
    for (std::size_t pair = 0; pair < 2; ++pair) {
      radius[pair] = uniform(hn::Load(words, blocks.word[2 * pair] + l));
      least = hn::Min(least, radius[pair]);
      angle[pair] = hn::Load(words, blocks.word[2 * pair + 1] + l);
      number[2 * pair] = places(angle[pair]);
      number[2 * pair + 1] = hn::Sub(all(quarter), hn::Abs(number[2 * pair]));
    }
    radii(radius);
    sines(number);
    for (std::size_t i = 0; i < 4; ++i)
      number[i] = hn::Mul(with_sign(radius[i / 2], angle[i / 2]), number[i]);
    hn::StoreInterleaved4(number[0], number[1], number[2], number[3], tag, out + 4 * l);
  }
  if (!hn::AllTrue(tag, hn::Eq(least, all(tail_words))))
    extend_tails<Lanes>(source.key(), block, blocks, out);
}

template <class Lanes>
void normals_from(const Key& key, std::uint32_t first, std::span<double> out) {
  const Lanes source(key);
  std::uint32_t block[lanes];
  alignas(64) double number[4 * lanes];
  std::uint64_t index = first;
  const std::uint64_t end = index + out.size();
  while (index < end) {
    const std::uint64_t base = index / 4;
    for (std::size_t l = 0; l < lanes; ++l) block[l] = static_cast<std::uint32_t>(base + l);
    double* const to = out.data() + (index - first);
    if (index == 4 * base && end - index >= 4 * lanes) {
      whole_blocks<lanes>(source, block, to);
      index += 4 * lanes;
      continue;
    }
    const std::uint64_t stop = std::min(end, 4 * (base + lanes));
    with_step((stop - 4 * base + 3) / 4,
              [&](auto step) HWY_ATTR { whole_blocks<step>(source, block, number); });
    std::copy_n(number + index % 4, stop - index, to);
    index = stop;
  }
}

// As extend_tails(), for lanes that hold one number each.
template <class Lanes, std::size_t count>
[[gnu::noinline]] void extend_tails_at(const Key& key, const std::uint32_t* place,
                                       const Blocks<count>& blocks, double* number) {
  for (std::size_t l = 0; l < count; ++l) {
    const std::size_t pair = place[l] % 4 / 2 * 2;
    const auto word = static_cast<std::uint32_t>(blocks.word[pair][l]);
    if (word >= tail_words) continue;
    const double r = tail_radius<Lanes>(key, place[l] / 4, pair == 2, word);
    const auto turn = vmath::sincos_turn(static_cast<std::uint32_t>(blocks.word[pair + 1][l]));
    number[l] = r * (place[l] % 2 != 0 ? turn.sin : turn.cos);
  }
}

// Writes numbers place[0], ..., place[count - 1] of a stream.
template <std::size_t count, class Lanes>
HWY_INLINE void single_numbers(const Lanes& source, const std::uint32_t* place, double* out) {
  constexpr WordTag words;
  constexpr NumberTag tag;
  constexpr hn::Rebind<std::uint32_t, WordTag> narrow;
  std::uint32_t block[count];
  for (std::size_t l = 0; l < count; ++l) block[l] = place[l] / 4;
  Blocks<count> blocks;
  source.fill(block, blocks);
  Numbers least = all(tail_words);
  const std::size_t step = hn::Lanes(tag);
  constexpr std::size_t turns = turns_of(count);
  for (std::size_t first = 0; first < count; first += turns * step) {
    Numbers radius[turns];
    Words angle[turns];
    Numbers number[turns];
    for (std::size_t i = 0; i < turns; ++i) {
      const std::size_t l = first + i * step;
      const Words which = hn::PromoteTo(words, hn::LoadU(narrow, place + l));
      const auto second = hn::TestBit(which, hn::Set(words, 2));
      const auto is_sine = hn::RebindMask(tag, hn::TestBit(which, hn::Set(words, 1)));
      radius[i] = uniform(hn::IfThenElse(second, hn::Load(words, blocks.word[2] + l),
                                         hn::Load(words, blocks.word[0] + l)));
      least = hn::Min(least, radius[i]);
      angle[i] = hn::IfThenElse(second, hn::Load(words, blocks.word[3] + l),
                                hn::Load(words, blocks.word[1] + l));
      const Numbers t = places(angle[i]);
      number[i] = hn::IfThenElse(is_sine, hn::Sub(all(quarter), hn::Abs(t)), t);
    }
    radii(radius);
    sines(number);
    for (std::size_t i = 0; i < turns; ++i)
      hn::StoreU(hn::Mul(with_sign(radius[i], angle[i]), number[i]), tag, out + first + i * step);
  }
  if (!hn::AllTrue(tag, hn::Eq(least, all(tail_words))))
    extend_tails_at<Lanes>(source.key(), place, blocks, out);
}

// As single_numbers(), for any at.size() <= count.
template <std::size_t count, class Lanes>
void some_numbers(const Lanes& source, Coordinates at, double* out) {
  std::uint32_t place[count];
  double number[count];
  for (std::size_t l = 0; l < count; ++l) place[l] = at[std::min(l, at.size() - 1)];
  single_numbers<count>(source, place, number);
  std::copy_n(number, at.size(), out);
}

template <class Lanes>
void normals_at_from(const Key& key, Coordinates at, std::span<double> out) {
  const Lanes source(key);
  std::size_t done = 0;
  for (; done + lanes <= at.size(); done += lanes)
    single_numbers<lanes>(source, at.data() + done, out.data() + done);
  const Coordinates rest = at.subspan(done);
  if (rest.empty()) return;
  with_step(rest.size(),
            [&](auto step) HWY_ATTR { some_numbers<step>(source, rest, out.data() + done); });
}

}  // namespace

void words_of(const Key& key, std::uint32_t first_block, std::span<std::uint32_t> out) {
  if (key.secret == nullptr)
    words_from<PhiloxLanes>(key, first_block, out);
  else
    words_from<ChaChaLanes>(key, first_block, out);
}

void normals_of(const Key& key, std::uint32_t first, std::span<double> out) {
  if (key.secret == nullptr)
    normals_from<PhiloxLanes>(key, first, out);
  else
    normals_from<ChaChaLanes>(key, first, out);
}

void scattered_normals_of(const Key& key, Coordinates at, std::span<double> out) {
  if (key.secret == nullptr)
    normals_at_from<PhiloxLanes>(key, at, out);
  else
    normals_at_from<ChaChaLanes>(key, at, out);
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
