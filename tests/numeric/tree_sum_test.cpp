// Sums along the binary tree of item numbers (src/numeric/tree_sum.hpp).

#include "numeric/tree_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::tree_sum_test {

std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs(const std::vector<Segment>& list) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (const auto& s : list) out.emplace_back(s.first, s.size);
  return out;
}

TEST(TreeSum, SegmentsByHand) {
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(pairs(segments(0, 0)), Pairs{});
  EXPECT_EQ(pairs(segments(0, 7)), (Pairs{{0, 4}, {4, 2}, {6, 1}}));
  EXPECT_EQ(pairs(segments(3, 9)), (Pairs{{3, 1}, {4, 4}, {8, 4}}));
  EXPECT_EQ(pairs(segments(8, 8)), (Pairs{{8, 8}}));
}

// Numbers whose sum depends on the order of the additions.
std::vector<double> item(std::uint64_t number) {
  const double angle = static_cast<double>(number);
  return {std::sin(angle) * std::exp2(static_cast<double>(number % 50)), 1.0};
}

TreeSum sum_of(std::uint64_t first, std::uint64_t count) {
  TreeSum sum(2);
  for (std::uint64_t i = first; i < first + count; ++i) sum.add({i, 1}, item(i));
  return sum;
}

TEST(TreeSum, HasTheSameBitsForEverySplit) {
  constexpr std::uint64_t items = 45;
  std::vector<double> whole(2);
  sum_of(0, items).total(whole);
  EXPECT_EQ(whole[1], items);
  bool differs = false;
  double plain = 0;
  for (std::uint64_t i = 0; i < items; ++i) plain += item(i)[0];
  for (std::uint64_t one = 0; one <= items; ++one)
    for (std::uint64_t two = one; two <= items; ++two) {
      TreeSum joined(2);
      const std::uint64_t ends[] = {0, one, two, items};
      double of_parts = 0;
      for (int p = 0; p < 3; ++p) {
        const TreeSum part = sum_of(ends[p], ends[p + 1] - ends[p]);
        ASSERT_EQ(pairs({part.parts().begin(), part.parts().end()}),
                  pairs(segments(ends[p], ends[p + 1] - ends[p])));
        std::vector<double> own(2);
        part.total(own);
        of_parts += own[0];
        for (std::size_t s = 0; s < part.parts().size(); ++s)
          joined.add(part.parts()[s], part.values(s));
      }
      std::vector<double> total(2);
      joined.total(total);
      ASSERT_EQ(total, whole) << one << ' ' << two;
      differs = differs || of_parts != whole[0];
    }
  EXPECT_TRUE(differs) << "the items are too tame to show an order";
  EXPECT_NEAR(plain, whole[0], std::abs(whole[0]) * 1e-9);
}

TEST(TreeSum, OfNothingIsZero) {
  std::vector<double> total{1, 2};
  TreeSum(2).total(total);
  EXPECT_EQ(total, (std::vector<double>{0, 0}));
}

}  // namespace trilemma::tree_sum_test
