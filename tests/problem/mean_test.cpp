// Mean estimation (src/problem/mean.cpp), by hand.

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::mean_test {

Dataset points(const Vector& values, std::size_t columns) {
  Dataset data = testing::dense_records(values.size() / columns, columns, 3, 1);
  std::get<DenseRows>(data.rows).value = values;
  return data;
}

TEST(Mean, LossAndGradientOfOneRecord) {
  const auto problem = testing::make_problem("mean", {2, 0}, "");
  const Dataset data = points({1, 3}, 2);
  EXPECT_EQ(testing::record_gradient(*problem, data, 0, Vector{4, -1}, 1e30),
            (std::vector<double>{3, -4}));
  EXPECT_DOUBLE_EQ(full_sum(*problem, data, Vector{4, -1}, {}), 12.5);
}

// Weights 1/2, 1/4, 1/4: mean (1, 1), 1/2 (1/2 * 2 + 1/4 * 2 + 1/4 * 2).
TEST(Mean, TheMinimumIsAtTheWeightedMean) {
  const auto problem = testing::make_problem("mean", {2, 0}, "");
  const Dataset data = points({0, 2, 2, 0, 2, 0}, 2);
  const auto found = problem->optimum(data, std::vector<double>{0.5, 0.25, 0.25});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->x, (std::vector<double>{1, 1}));
  EXPECT_DOUBLE_EQ(found->value, 1.0);
}

TEST(Mean, RefusesSparseRecords) {
  testing::expect_parts(testing::refusal([] {
                          testing::make_problem("mean", {3, 2, true}, "");
                        }),
                        {"problem", "dense"});
}

}  // namespace trilemma::mean_test
