#include "numeric/directions.hpp"

#include <algorithm>
#include <array>

namespace trilemma {

void draw_direction(std::uint64_t seed, std::uint32_t round, std::size_t number, std::size_t first,
                    std::span<double> out) {
  const Key key{seed, Purpose::directions, static_cast<std::uint32_t>(number), round};
  normals(key, static_cast<std::uint32_t>(first), out);
}

void move_along_directions(std::uint64_t seed, std::uint32_t round, ConstView scalars, double rate,
                           View x) {
  constexpr std::size_t block = 2048;  // both arrays stay in the cache
  std::array<double, block> room{};
  std::array<double, block> sum_room{};
  for (std::size_t first = 0; first < x.size(); first += block) {
    const std::size_t count = std::min(block, x.size() - first);
    const std::span<double> part = std::span(room).first(count);
    const std::span<double> sum = std::span(sum_room).first(count);
    std::ranges::fill(sum, 0.0);
    for (std::size_t m = 0; m < scalars.size(); ++m) {
      const auto scalar = static_cast<double>(scalars[m]);
      if (scalar == 0) continue;
      draw_direction(seed, round, m, first, part);
      for (std::size_t j = 0; j < count; ++j) sum[j] += scalar * part[j];
    }
    for (std::size_t j = 0; j < count; ++j) {
      real& value = x[first + j];
      value = static_cast<real>(static_cast<double>(value) - rate * sum[j]);
    }
  }
}

}  // namespace trilemma
