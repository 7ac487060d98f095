// Low-rank compression (src/compress/low_rank.cpp); what all compressors keep is in
// tests/conformance.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compressors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::low_rank_test {
namespace {

constexpr Key key{3, Purpose::mask, 1, 4};

std::vector<double> sent(const std::string& settings, const Vector& z) {
  const auto made = testing::make_compressor("low-rank", z.size(), settings, ValueFormat::float32);
  Message message;
  made->compress(z, key, message);
  return testing::dense(made->expand(message), z.size());
}

double distance(const std::vector<double>& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += std::pow(a[i] - static_cast<double>(b[i]), 2);
  return std::sqrt(sum);
}

// The outer product of (1, 2, 3) and (4, -5), and one further coordinate.
TEST(LowRank, AProductOfTwoVectorsIsKept) {
  const Vector z{4, -5, 8, -10, 12, -15, 7};
  EXPECT_LT(distance(sent("rows = 3\ncolumns = 2", z), z), 1e-5);
}

TEST(LowRank, FullRankKeepsEverything) {
  const Vector z = testing::random_vector(62, 5);
  EXPECT_LT(distance(sent("rank = 5\nrows = 12\ncolumns = 5", z), z), 1e-5);
  EXPECT_GT(distance(sent("rank = 4\nrows = 12\ncolumns = 5", z), z), 1e-3);
}

// 1 of 3 equal singular values is kept, whatever is drawn: the best that any matrix of rank 1 can.
TEST(LowRank, ProjectsTheIdentity) {
  const Vector z{1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_NEAR(distance(sent("rows = 3", z), z), std::sqrt(2.0), 1e-6);
}

// Rank 1 of 225 x 226 numbers, and the 40 that are left: 491 values of 32 bits.
TEST(LowRank, SendsTheFactorsAndTheRest) {
  const auto made = testing::make_compressor("low-rank", 50'890, "", ValueFormat::float32);
  EXPECT_EQ(made->layout().most_bits(), 32U * (225 + 226 + 40));
  EXPECT_DOUBLE_EQ(made->traits().delta, (1 - 0x1p-20) / 225);
}

TEST(LowRank, RefusesWhatIsNoMatrix) {
  const auto make = [](const char* settings, ValueFormat format = ValueFormat::float32) {
    testing::make_compressor("low-rank", 60, settings, format);
  };
  EXPECT_NE(testing::refusal([&] { make("rows = 9\ncolumns = 8"); }).find("9 rows of 8 columns"),
            std::string::npos);
  EXPECT_NE(testing::refusal([&] { make("rank = 8"); }).find("7 rows and 8 columns"),
            std::string::npos);
  EXPECT_NE(testing::refusal([&] { make("", ValueFormat::natural); }).find("wire.value"),
            std::string::npos);
}

}  // namespace
}  // namespace trilemma::low_rank_test
