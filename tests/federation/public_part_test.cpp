// What has no data in it joins a message after the noise (src/federation/client_side.hpp): next to
// a huge regulariser the noise would be rounded away, and the data would show.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numeric/lanes.hpp"
#include "tests/support/estimators.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::public_part_test {

using testing::Fixture;

// 4 on every coordinate, and far above it a public part between whose neighbours lie 8.
class FarFromZero final : public LocalWork {
 public:
  static constexpr real far = real{8} / std::numeric_limits<real>::epsilon();

  std::size_t estimate(std::size_t, const Task&, View out) override {
    std::fill(out.begin(), out.end(), real{4});
    return 0;
  }
  void add_public(ConstView, Support, View out) const override {
    for (auto& value : out) value += far;
  }
};

// Of 4 + n, n ~ N(0, 1), half are rounded down to the public part and half up to its neighbour:
// five standard errors. Were the noise added to the rounded sum, all would stay down.
TEST(PublicPart, NoiseDecidesHowASumIsRounded) {
  FarFromZero work;
  constexpr std::size_t d = 1000;
  Fixture fixture(work, 1, d, {.sigma = 1});
  const Vector x(d, real{0});
  double up = 0;
  const auto sent = fixture.decoded(0, fixture.send(0, x));
  for (const double value : sent[0]) {
    const double step = value - static_cast<double>(FarFromZero::far);
    EXPECT_TRUE(step == 0 || step == 8) << step;
    up += step / 8;
  }
  EXPECT_NEAR(up, d / 2.0, 5 * std::sqrt(d / 4.0));
}

// Bit for bit the message without regulariser, plus the regulariser's gradient.
TEST(PublicPart, IsAddedToWhatIsReleased) {
  constexpr std::size_t d = 12;
  const Vector x = testing::random_vector(d, 3, 0.5);
  for (const auto& row : estimators())
    for (const char* lambda : {"lambda = 0.2", "lambda = 6e7"}) {
      testing::Case plain = testing::make_case("logistic", 2, 20, d, 2);
      testing::Case with = testing::make_case("logistic", 2, 20, d, 2);
      plain.problem = testing::make_problem("logistic", {d, 2}, "lambda = 0.0");
      with.problem = testing::make_problem("logistic", {d, 2}, lambda);
      const auto sampler = testing::make_sampler("poisson");
      const auto sent = [&](const testing::Case& on) {
        const auto work =
            testing::make_estimator(row.name, on, *sampler, {.batch = 6, .threshold = 0.4});
        work->start(testing::random_vector(d, 4, 0.5));
        Fixture fixture(*work, 2, d, {.sigma = 0.05});
        return fixture.decoded(1, fixture.send(1, x));
      };
      const auto without = sent(plain);
      const auto found = sent(with);
      for (std::size_t client = 0; client < 2; ++client) {
        Vector expected(without[client].begin(), without[client].end());
        with.problem->add_regulariser_gradient(x, expected);
        EXPECT_EQ(found[client], testing::as_double(expected)) << row.name << ' ' << lambda;
      }
    }
}

// [SOT] as published clips the finished vector, regulariser included.
TEST(PublicPart, IsClippedWithAFinishedVector) {
  testing::Case on = testing::make_case("logistic", 1, 20, 9, 2);
  on.problem = testing::make_problem("logistic", {9, 2}, "lambda = 50.0");
  const auto sampler = testing::make_sampler("poisson");
  const auto work = testing::make_estimator("sgd", on, *sampler, {.batch = 6, .threshold = 1e10});
  const Vector x = testing::random_vector(9, 3, 0.5);
  Fixture fixture(*work, 1, 9, {.clip = 0.7});
  const auto sent = fixture.decoded(0, fixture.send(0, x))[0];
  EXPECT_NEAR(euclidean_norm<double>(sent), 0.7, 1e-6);
  Vector whole = testing::estimate(*work, x, 0);
  const double length = euclidean_norm(ConstView(whole));
  EXPECT_GT(length, 1);
}

// So does a bound of clients: what a trusted server sums up must be short.
TEST(PublicPart, IsBoundedWithAClient) {
  testing::Federation f(
      testing::tiny_experiment,
      {"method=ldp-sgd", "bound.kind=clip-client", "privacy.sigma=0.05", "privacy.noise_at=server",
       "privacy.view=V_aggregate", "problem.lambda=50"});
  f.round();
  EXPECT_LE(f.noted().number("mean_norm"), 0.5 * (1 + 1e-6));
  EXPECT_GT(f.noted().number("mean_norm"), 0.4);
}

// A coordinate of the regulariser's gradient has the same bits alone.
TEST(PublicPart, RegulariserAtSingleCoordinates) {
  for (const char* problem : {"logistic", "linear", "softmax", "deep", "cnn", "layers", "mean"}) {
    const auto on = testing::make_case(problem, 1, 3, 70, 2);
    const std::size_t d = on.problem->dimension();
    const Vector x = testing::random_vector(d, 5, 2.0);
    const Vector before = testing::random_vector(d, 6);
    Vector all = before;
    on.problem->add_regulariser_gradient(x, all);
    std::vector<std::uint32_t> at;
    for (std::uint32_t j = 0; j < d; j += 1 + j % 4) at.push_back(j);
    Vector some;
    for (const auto j : at) some.push_back(before[j]);
    on.problem->add_regulariser_at(x, Support::of(at), some);
    for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(some[i], all[at[i]]) << problem;
  }
}

}  // namespace trilemma::public_part_test
