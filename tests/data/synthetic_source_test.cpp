// Generated records of a9a's shape (src/data/synthetic_source.cpp): 32,561 x
// 123, 14 non-zeros of value 1 a row, 24 % positive, deterministic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/scaling.hpp"
#include "data/source.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::synthetic_source_test {

std::unique_ptr<Source> source(const std::string& toml) {
  Settings settings = Settings::from_text(toml, "data.toml");
  for (const auto& row : sources())
    if (std::string("synthetic") == row.name) return row.make(settings);
  throw std::logic_error("no synthetic source");
}

TEST(Synthetic, HasTheShapeOfA9a) {
  const auto made = source("bias = false\nscaling = \"none\"");
  EXPECT_EQ(made->features(), 123U);
  EXPECT_EQ(made->classes(), 2);
  EXPECT_EQ(made->rows(), 32561U);
  const TrainTest data = made->load("", 1);
  EXPECT_EQ(data.train.size(), 32561U);
  EXPECT_EQ(data.test.size(), 16281U);
  EXPECT_EQ(data.train.features(), 123U);
  const auto& rows = std::get<SparseRows>(data.train.rows);
  EXPECT_EQ(rows.column.size(), 32561U * 14U);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    ASSERT_EQ(rows.start[r + 1] - rows.start[r], 14U);
    for (std::size_t e = rows.start[r] + 1; e < rows.start[r + 1]; ++e)
      ASSERT_LT(rows.column[e - 1], rows.column[e]);
  }
  EXPECT_LT(*std::max_element(rows.column.begin(), rows.column.end()), 123U);
  EXPECT_TRUE(std::all_of(rows.value.begin(), rows.value.end(), [](real v) { return v == 1; }));
}

TEST(Synthetic, TwentyFourPercentArePositive) {
  const TrainTest data = source("")->load("", 1);
  for (const Dataset* part : {&data.train, &data.test}) {
    const auto positive = std::count(part->label.begin(), part->label.end(), 1);
    const auto negative = std::count(part->label.begin(), part->label.end(), -1);
    EXPECT_EQ(static_cast<std::size_t>(positive + negative), part->size());
    EXPECT_NEAR(static_cast<double>(positive) / static_cast<double>(part->size()), 0.24,
                part == &data.train ? 0.005 : 0.01);
  }
}

TEST(Synthetic, TheDefaultHasABiasAndSpectralScaling) {
  const auto made = source("rows = 400\ntest_rows = 50");
  EXPECT_EQ(made->features(), 124U);
  TrainTest data = made->load("", 1);
  made->scale(data, {});
  EXPECT_EQ(data.train.features(), 124U);
  EXPECT_EQ(data.test.features(), 124U);
  const double norm = spectral_norm(std::get<SparseRows>(data.train.rows));
  EXPECT_NEAR(norm, 2.0 * std::sqrt(400.0), 1e-4);
}

TEST(Synthetic, IsAFunctionOfTheSeed) {
  const auto made = source("rows = 300\ntest_rows = 30");
  const TrainTest first = made->load("", 5);
  const TrainTest again = made->load("elsewhere", 5);
  const TrainTest other = made->load("", 6);
  const auto columns = [](const Dataset& d) { return std::get<SparseRows>(d.rows).column; };
  EXPECT_EQ(columns(first.train), columns(again.train));
  EXPECT_EQ(first.train.label, again.train.label);
  EXPECT_EQ(first.test.label, again.test.label);
  EXPECT_NE(columns(first.train), columns(other.train));
}

TEST(Synthetic, RefusesMoreNonZerosThanFeatures) {
  testing::expect_parts(testing::refusal([] { source("features = 5\nnonzeros = 6"); }),
                        {"data.toml:2", "nonzeros = 6"});
}

}  // namespace trilemma::synthetic_source_test
