#include "federation/sum_over_clients.hpp"

#include <algorithm>

namespace trilemma {

void sum_over_clients(const TreeSum& own, Ranks& ranks, std::span<double> total) {
  // Number of coordinates that are gathered at a time, so that rank 0 never holds the vectors of
  // all ranks.
  constexpr std::size_t piece = std::size_t{1} << 16U;
  const Placement& place = ranks.place();
  std::vector<Segment> from;
  std::vector<int> rows;
  for (int r = 0; r < place.size; ++r) {
    const auto parts = segments(static_cast<std::uint64_t>(place.first(r)),
                                static_cast<std::uint64_t>(place.count(r)));
    rows.push_back(static_cast<int>(parts.size()));
    from.insert(from.end(), parts.begin(), parts.end());
  }
  std::vector<double> mine;
  for (std::size_t first = 0; first < total.size(); first += piece) {
    const std::size_t width = std::min(piece, total.size() - first);
    mine.clear();
    for (std::size_t part = 0; part < own.parts().size(); ++part) {
      const auto slice = own.values(part).subspan(first, width);
      mine.insert(mine.end(), slice.begin(), slice.end());
    }
    const auto all = ranks.gather_rows(mine, width, rows);
    TreeSum sum(width);
    for (std::size_t row = 0; row < all.size() / width; ++row)
      sum.add(from[row], all.subspan(row * width, width));
    sum.total(total.subspan(first, width));
  }
}

}  // namespace trilemma
