// Epsilon against rounds (src/privacy/accountant/epsilon_curve.hpp): at every round between the
// truth and one per cent above it, as direct accounting of that many rounds says.

#include "privacy/accountant/epsilon_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/accountant/pld.hpp"
#include "privacy/accountant/round_powers.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::epsilon_curve_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

Composition repeated(Composition round, double times) {
  for (auto& c : round.components) c.steps *= times;
  return round;
}

Composition two_parts(double rate, double sampled_sigma, double full_sigma, Relation relation) {
  return {relation,
          {{Sampling::poisson, rate, sampled_sigma, 1}, {Sampling::none, 1, full_sigma, 1}}};
}

Options tight() {
  Options options;
  options.effort.tolerance = 2e-4;
  options.effort.most_points = 1U << 19U;
  return options;
}

// Some rounds: all of the first, then further and further apart, and the last ones.
std::vector<std::size_t> looked_at(std::size_t rounds) {
  std::vector<std::size_t> some;
  for (std::size_t t = 1; t < rounds; t += 1 + t * 2 / 5) some.push_back(t);
  if (rounds > 1 && some.back() != rounds - 1) some.push_back(rounds - 1);
  some.push_back(rounds);
  return some;
}

struct Setting {
  const char* name;
  Composition round;
  double delta;
  std::size_t rounds;
};

void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

class EpsilonAgainstRounds : public ::testing::TestWithParam<Setting> {};

TEST_P(EpsilonAgainstRounds, IsTightEverywhere) {
  const auto& [name, round, delta, rounds] = GetParam();
  const double all = epsilon(repeated(round, static_cast<double>(rounds)), delta).value;
  const EpsilonCurve curve(round, delta, rounds, all);
  for (const std::size_t t : looked_at(rounds)) {
    SCOPED_TRACE(t);
    const Result direct = epsilon(repeated(round, static_cast<double>(t)), delta, tight());
    EXPECT_GE(curve.at(t), direct.lower);
    EXPECT_LE(curve.at(t), 1.01 * direct.lower);
  }
  EXPECT_EQ(curve.at(rounds), all);
}

TEST_P(EpsilonAgainstRounds, NeverFalls) {
  const auto& [name, round, delta, rounds] = GetParam();
  const double all = epsilon(repeated(round, static_cast<double>(rounds)), delta).value;
  const EpsilonCurve curve(round, delta, rounds, all);
  EXPECT_EQ(curve.at(0), 0);
  std::size_t falls = 0;
  for (std::size_t t = 1; t <= rounds; ++t) falls += curve.at(t) < curve.at(t - 1) ? 1 : 0;
  EXPECT_EQ(falls, 0U);
  EXPECT_TRUE(std::isinf(curve.at(rounds + 1)));
}

const Setting settings[] = {
    {"a9a", poisson(0.0157, 1.1, 1), 1e-5, 100},
    {"a9a_weak_noise", poisson(0.015663, 0.2852, 1), 1e-3, 100},
    {"many_rounds", poisson(0.0157, 1.1, 1), 1e-5, 10000},
    {"replace_one", poisson(0.01, 1, 1, Relation::replace_one), 1e-5, 3000},
    {"zero_out", poisson(0.05, 3, 1, Relation::zero_out), 1e-6, 500},
    {"large_rate", poisson(0.2, 4, 1), 1e-5, 500},
    {"tiny_delta", poisson(0.2, 4, 1), 1e-30, 500},
    {"nearly_all", poisson(0.99, 1, 1), 1e-5, 100},
    {"weak_noise", poisson(0.5, 0.3, 1), 1e-9, 20},
    {"tiny_epsilon", poisson(0.001, 50, 1), 1e-5, 10000},
    {"many_weak_rounds", poisson(0.001, 10, 1), 1e-5, 100000},
    {"single_round", poisson(0.1, 2, 1), 1e-5, 1},
    {"two_steps_a_round", poisson(0.02, 2, 2), 1e-5, 50},
    {"two_parts", two_parts(0.01, 1, 50, Relation::add_remove), 1e-5, 1000},
    {"two_equal_parts", two_parts(0.02, 5, 8, Relation::add_remove), 1e-5, 400},
    {"two_parts_replaced", two_parts(0.02, 2, 90, Relation::replace_one), 1e-5, 200},
    {"gaussian", plain(20, 1), 1e-5, 1000},
    {"gaussian_replaced", plain(5, 1, Relation::replace_one), 1e-9, 50},
    {"fixed_size", fixed_size(0.02, 4, 1), 1e-5, 1000},
    {"fixed_size_few", fixed_size(0.1, 2, 1), 1e-6, 10},
    {"fixed_size_tiny_epsilon", fixed_size(0.001, 2, 1), 3e-3, 66},
    {"drawn_less_often_than_delta", poisson(1e-3, 1, 1), 1e-3, 20},
};
INSTANTIATE_TEST_SUITE_P(Settings, EpsilonAgainstRounds, ::testing::ValuesIn(settings),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(EpsilonCurve, KnowsWhatAllRoundsSpend) {
  // A smaller bound on all rounds, from wherever, is one on fewer too.
  const EpsilonCurve curve(poisson(0.0157, 1.1, 1), 1e-5, 100, 0.5);
  EXPECT_EQ(curve.at(99), 0.5);
  EXPECT_LT(curve.at(1), 0.5);
}

TEST(EpsilonCurve, ClosedFormsWhereNoGridIsTried) {
  // The Renyi bound is above 5000.
  const Composition round = poisson(0.5, 0.011, 1);
  const EpsilonCurve curve(round, 1e-5, 4, epsilon(repeated(round, 4), 1e-5).value);
  for (std::size_t t = 2; t < 4; ++t)
    EXPECT_NEAR(curve.at(t), epsilon(repeated(round, static_cast<double>(t)), 1e-5).value,
                1e-6 * curve.at(t));
}

TEST(EpsilonCurve, NothingReleasedAndNoDelta) {
  EXPECT_EQ(EpsilonCurve(poisson(0, 1, 1), 1e-5, 10, 0).at(10), 0);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(EpsilonCurve(poisson(0.1, 1, 1), 0, 10, inf).at(5), inf);
  EXPECT_EQ(EpsilonCurve(plain(1, 1), 0, 10, inf).at(5), inf);
}

// delta read off the transform against certified bounds from masses.
TEST(RoundPowers, DeltaLiesAboveTheTruthByLittle) {
  const Composition round = poisson(0.02, 1.2, 1);
  const std::vector<Repeated> steps{
      {DominatingPair(DominatingPair::Kind::remove, 0.02, 1.2), 1, 0.01}};
  const RoundPowers powers(steps, {4, 12, 1U << 14U, 1e-12, 50});
  for (const double t : {50.0, 200.0})
    for (const double at : {0.2, 0.5, 0.8}) {
      const double above = std::exp(powers.above(t, at).log_delta);
      const Result direct = delta(repeated(round, t), at, tight());
      EXPECT_GE(above, direct.lower);
      EXPECT_LE(above, 1.01 * direct.value);
      EXPECT_LE(powers.below(t, at).log_delta, powers.above(t, at).log_delta);
      const double step = 1e-4;
      EXPECT_NEAR(powers.above(t, at).slope,
                  (powers.above(t, at + step).log_delta - powers.above(t, at - step).log_delta) /
                      (2 * step),
                  1e-3 * std::abs(powers.above(t, at).slope));
    }
}

}  // namespace trilemma::accounting::epsilon_curve_test
