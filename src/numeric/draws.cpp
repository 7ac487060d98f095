#include "numeric/draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/elementwise.hpp"

namespace trilemma {
namespace {

constexpr std::size_t spare = 4;  // room for numbers written past the last one

}  // namespace

bool common_coin(std::uint64_t seed, std::uint32_t round, double p) {
  // Client 0 is the address of the coin for snapshots (SVRG).
  constexpr std::uint32_t client = 1;
  return round == 0 || Stream({seed, Purpose::coin, client, round}).uniform() < p;
}

void SubsetDraw::draw(const Key& key, std::uint32_t bound, std::span<std::uint32_t> drawn) {
  for (std::size_t done = 0; done < drawn.size(); done += word_.size()) {
    const auto block = static_cast<std::uint32_t>(done / 4);
    const auto first = bound + static_cast<std::uint32_t>(done);
    const auto rest = drawn.subspan(done);
    const auto part = rest.first(std::min(word_.size(), rest.size()));
    const auto words = std::span(word_).first(part.size());
    random_words(key, block, words);
    if (bounded_draws(words, first, part)) continue;
    Stream stream(key, block);
    for (std::uint32_t i = 0; auto& number : rest) number = stream.below(first + i++);
    return;
  }
}

void SubsetDraw::operator()(const Key& key, std::size_t n, std::size_t size,
                            std::vector<std::uint32_t>& out) {
  bitmap_.resize((n + 63) / 64);
  out.resize(size + spare);
  std::uint64_t* const map = bitmap_.data();
  const auto is_taken = [map](std::uint32_t j) { return ((map[j / 64] >> (j % 64)) & 1U) != 0; };
  const auto take = [map](std::uint32_t j) { map[j / 64] |= std::uint64_t{1} << (j % 64); };
  const auto drawn = std::span(out).first(size);
  auto j = static_cast<std::uint32_t>(n - size);
  draw(key, j + 1, drawn);
  for (const std::uint32_t number : drawn) {
    take(is_taken(number) ? j : number);
    ++j;
  }
  std::uint32_t* next = out.data();
  for (std::size_t w = 0, words = bitmap_.size(); w < words; ++w) {
    std::uint64_t bits = map[w];
    map[w] = 0;
    const auto count = static_cast<std::size_t>(std::popcount(bits));
    // Always writes the usual number of entries, since the number of set bits is hard to predict;
    // the bit that is set in any case makes a check for an empty word unnecessary.
    std::size_t i = 0;
    do {
      for (std::size_t last = i + spare; i < last; ++i, bits &= bits - 1)
        next[i] = static_cast<std::uint32_t>(64 * w) +
                  static_cast<std::uint32_t>(std::countr_zero(bits | std::uint64_t{1} << 63U));
    } while (i < count);
    next += count;
  }
  out.resize(size);
}

void CoinDraw::operator()(const Key& key, std::size_t n, double p,
                          std::vector<std::uint32_t>& out) {
  const double inverse = 1.0 / std::log1p(-p);  // -0 for p = 1, where all gaps are 0
  const auto end = static_cast<std::int64_t>(n);
  const auto most = static_cast<double>(n);
  std::size_t count = 0;
  std::int64_t next = 0;
  for (std::uint32_t block = 0;; block += words / 4) {
    random_words(key, block, word_);
    scaled_logs(word_, inverse, gap_);  // 53 random bits: the law of the gaps is exact to 1e-16
    out.resize(count + gap_.size());
    for (const double gap : gap_) {
      next += static_cast<std::int64_t>(std::min(gap, most));
      if (next >= end) return out.resize(count);
      out[count++] = static_cast<std::uint32_t>(next++);
    }
  }
}

}  // namespace trilemma
