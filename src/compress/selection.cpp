#include "compress/selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compress/lanes.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {

std::uint64_t size_rank(real value) { return static_cast<std::uint64_t>(size_pattern(value)); }

void coordinates_from(ConstView z, std::uint64_t least, std::vector<std::uint32_t>& out) {
  out.resize(z.size() + 1);
  out.resize(find_from(z, least, out.data()));
}

std::uint64_t sampled_rank(ConstView z, std::size_t k, std::size_t stride,
                           std::vector<std::uint64_t>& room) {
  room.clear();
  for (std::size_t j = 0; j < z.size(); j += stride) room.push_back(size_rank(z[j]));
  if (room.empty()) return 0;
  const std::size_t of_sample = std::min(room.size() - 1, k / stride);
  const auto at = room.begin() + static_cast<std::ptrdiff_t>(of_sample);
  std::ranges::nth_element(room, at, std::greater<>());
  return *at;
}

void TopK::operator()(ConstView z, std::size_t k, std::vector<std::uint32_t>& out) {
  if (k == 0) return out.clear();
  // Takes as candidates the coordinates above a threshold which, by a sample, slightly more than k
  // exceed (four standard deviations more). If these are fewer than k, all coordinates are
  // candidates.
  constexpr std::size_t stride = 61;
  const auto expected = static_cast<double>(k) / static_cast<double>(stride);
  const auto more = static_cast<std::size_t>(static_cast<double>(stride) *
                                             (expected + 4 * std::sqrt(expected) + 4));
  const std::uint64_t least = more < z.size() ? sampled_rank(z, more, stride, sample_) : 0;
  coordinates_from(z, least, candidates_);
  if (candidates_.size() < k) coordinates_from(z, 0, candidates_);
  ranks_.clear();
  for (const auto j : candidates_) ranks_.push_back(size_rank(z[j]));
  std::ranges::nth_element(ranks_, ranks_.begin() + static_cast<std::ptrdiff_t>(k - 1),
                           std::greater<>());
  const std::uint64_t last = ranks_[k - 1];
  const auto above = std::count_if(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(k),
                                   [last](std::uint64_t rank) { return rank > last; });
  std::size_t ties = k - static_cast<std::size_t>(above);
  out.clear();
  for (const auto j : candidates_) {
    const std::uint64_t rank = size_rank(z[j]);
    if (rank < last || (rank == last && ties == 0)) continue;
    if (rank == last) --ties;
    out.push_back(j);
  }
}

}  // namespace trilemma
