// Vectors for mean estimation (src/data/vectors_source.cpp).

#include <gtest/gtest.h>

#include <cmath>

#include "data/source.hpp"

namespace trilemma::vectors_source_test {

constexpr std::size_t features = 200;
constexpr std::size_t vectors = 40;

Vector values(const std::string& more, std::uint64_t seed = 5) {
  Settings settings = Settings::from_text("vectors = 40\nfeatures = 200\n" + more, "test");
  const TrainTest data = row(sources(), "vectors").make(settings)->load("", seed);
  EXPECT_EQ(data.train.size(), vectors);
  EXPECT_EQ(data.train.user.back(), vectors - 1);
  return std::get<DenseRows>(data.train.rows).value;
}

double norm_of(const Vector& all, std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const auto value = static_cast<double>(all[i * features + j]);
    sum += value * value;
  }
  return std::sqrt(sum);
}

TEST(Vectors, HaveTheNormThatIsSet) {
  for (const char* law : {"signs", "sphere", "groups"}) {
    const Vector all = values(std::string("norm = 3\nlaw = \"") + law + "\"\n");
    for (std::size_t i = 0; i < vectors; ++i) EXPECT_NEAR(norm_of(all, i), 3, 1e-5) << law;
  }
}

TEST(Vectors, OfSignsHaveOneMagnitudeAndFourFifthsOfOneSign) {
  const Vector all = values("law = \"signs\"\n");
  double above = 0;
  for (const real value : all) {
    EXPECT_NEAR(std::abs(static_cast<double>(value)), 1 / std::sqrt(200.0), 1e-6);
    above += value > 0 ? 1 : 0;
  }
  // 8000 coins: five standard deviations are 0.022.
  EXPECT_NEAR(above / static_cast<double>(all.size()), 0.8, 0.022);
}

TEST(Vectors, OfGroupsDifferByGroup) {
  const Vector all = values("law = \"groups\"\n");
  // Around N(10, 1) a coordinate varies by a tenth of its mean, around N(1, 1) as much as its mean.
  const auto spread = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < features; ++j)
      sum += std::pow(static_cast<double>(all[i * features + j]) - 1 / std::sqrt(200.0), 2);
    return sum;
  };
  EXPECT_LT(spread(0), 0.05);
  EXPECT_GT(spread(vectors - 1), 0.2);
}

TEST(Vectors, FollowFromTheSeed) {
  EXPECT_EQ(values(""), values(""));
  EXPECT_NE(values(""), values("", 6));
}

}  // namespace trilemma::vectors_source_test
