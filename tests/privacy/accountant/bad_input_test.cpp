// What the accountants refuse, and with which words; what they answer at the edges of their domain
// (spec privacy.md 3.10).

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "privacy/accountant/calibrate.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::bad_input_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// What std::invalid_argument says; its kind is checked by type.
template <class Error = std::invalid_argument>
std::string words(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

std::string refused(const Composition& composition, double delta = 1e-5) {
  return words([&] { epsilon(composition, delta); });
}

TEST(AccountantInput, RateOutOfRange) {
  for (const double rate : {-0.1, 1.5, nan, inf, -inf})
    EXPECT_EQ(refused({Relation::add_remove, {{Sampling::poisson, rate, 1, 1}}}),
              "rate = " + shown(rate) + ": must be a number from 0 to 1");
  EXPECT_EQ(refused({Relation::add_remove, {{Sampling::none, 0.5, 1, 1}}}),
            "rate = 0.5: must be 1 without sampling; choose a sampling, or leave the rate out");
}

TEST(AccountantInput, SigmaOutOfRange) {
  for (const double sigma : {0.0, -1.0, nan, inf, -inf})
    EXPECT_EQ(refused(plain(sigma, 1)),
              "sigma = " + shown(sigma) + ": must be a finite number above 0");
}

TEST(AccountantInput, StepsOutOfRange) {
  for (const double steps : {-1.0, 0.5, 1e15 + 0.5, 2e15, nan, inf})
    EXPECT_EQ(refused(poisson(0.1, 1, steps)),
              "steps = " + shown(steps) + ": must be a whole number from 0 to 1e15");
}

TEST(AccountantInput, EveryComponentIsChecked) {
  Composition c = poisson(0.1, 1, 10);
  c.components.push_back({Sampling::poisson, 0.1, -2, 10});
  EXPECT_EQ(refused(c), "sigma = -2: must be a finite number above 0");
  // An idle one as well.
  c.components[1].steps = 0;
  EXPECT_EQ(refused(c), "sigma = -2: must be a finite number above 0");
}

TEST(AccountantInput, DeltaOutOfRange) {
  for (const double delta : {-1e-9, 1.0, 2.0, nan, inf, -inf}) {
    const std::string wanted = "delta = " + shown(delta) + ": must be a number from 0 to below 1";
    EXPECT_EQ(refused(plain(1, 1), delta), wanted);
    EXPECT_EQ(refused(poisson(0, 1, 1), delta), wanted);
    EXPECT_EQ(words([&] { calibrate_noise(plain(1, 1), 1, delta); }), wanted);
    EXPECT_EQ(words([&] { calibrate_rounds(plain(1, 1), 1, delta); }), wanted);
    EXPECT_EQ(words([&] { calibrate_rate(poisson(0.1, 1, 1), 1, delta); }), wanted);
  }
}

TEST(AccountantInput, EpsilonOutOfRange) {
  for (const double target : {-1.0, nan, inf, -inf}) {
    const std::string wanted =
        "epsilon = " + shown(target) + ": must be a finite number, 0 or more";
    EXPECT_EQ(words([&] { delta(plain(1, 1), target); }), wanted);
    EXPECT_EQ(words([&] { calibrate_noise(plain(1, 1), target, 1e-5); }), wanted);
    EXPECT_EQ(words([&] { calibrate_rounds(plain(1, 1), target, 1e-5); }), wanted);
    EXPECT_EQ(words([&] { calibrate_rate(poisson(0.1, 1, 1), target, 1e-5); }), wanted);
  }
}

TEST(AccountantInput, TargetsThatNoNoiseReaches) {
  EXPECT_EQ(words([] { calibrate_noise(plain(1, 1), 0, 1e-5); }),
            "epsilon = 0: no Gaussian noise reaches it; give a number above 0");
  EXPECT_EQ(words([] { calibrate_noise(plain(1, 1), 1, 0); }),
            "delta = 0: no Gaussian noise reaches it; give a number above 0");
  EXPECT_EQ(words([] { calibrate_noise(plain(1, 1e15), 1e-9, 1e-12); }),
            "epsilon = 1e-09: no noise up to 1e9 times the given one reaches it");
  EXPECT_EQ(words([] { calibrate_rate(plain(1, 1), 1, 1e-5); }),
            "sampling = none: there is no rate to be found");
}

TEST(AccountantInput, ClaimsWithoutATheorem) {
  for (const Relation relation : {Relation::add_remove, Relation::zero_out}) {
    Composition c = fixed_size(0.1, 1, 10);
    c.relation = relation;
    EXPECT_EQ(
        words<UnsupportedClaim>([&] { epsilon(c, 1e-5); }),
        std::string("no theorem covers draws of a fixed size (fixed_wor) under the relation ") +
            name(relation) + "; use replace_one, or poisson sampling");
  }
}

std::string refused_by(Method method, const Composition& composition) {
  Options options;
  options.method = method;
  const std::string first = words<UnsupportedClaim>([&] { epsilon(composition, 1e-5, options); });
  EXPECT_EQ(words<UnsupportedClaim>([&] { delta(composition, 1, options); }), first);
  return first;
}

TEST(AccountantInput, MethodsThatDoNotApply) {
  EXPECT_EQ(refused_by(Method::gaussian, poisson(0.1, 1, 1)),
            "method gaussian is for releases without sampling; use pld or rdp");
  EXPECT_EQ(refused_by(Method::one_step, poisson(0.1, 1, 2)),
            "method one_step is for a single release; use pld or rdp");
  EXPECT_EQ(refused_by(Method::saddle_point, fixed_size(0.1, 1, 2)),
            "method saddle_point is not made for fixed_wor sampling, whose loss has "
            "an atom; use pld or rdp");
  refused_by(Method::one_step, fixed_size(0.1, 1, 2));
  refused_by(Method::gaussian, fixed_size(0.1, 1, 1));
}

TEST(AccountantEdge, NothingReleasedCostsNothing) {
  for (const Composition& c : {poisson(0, 1, 100), poisson(0.1, 1, 0), plain(1, 0), Composition{}})
    for (const double d : {0.0, 1e-5}) {
      const Result result = epsilon(c, d);
      EXPECT_EQ(result.value, 0);
      EXPECT_EQ(result.lower, 0);
      EXPECT_EQ(result.upper, 0);
      EXPECT_EQ(result.status, Status::ok);
      EXPECT_EQ(delta(c, 0).value, 0);
      EXPECT_EQ(delta(c, 1).value, 0);
    }
}

TEST(AccountantEdge, DeltaZeroIsUnbounded) {
  const Composition cases[] = {plain(1e6, 1), poisson(1e-4, 100, 1), poisson(0.1, 1, 10),
                               fixed_size(0.1, 1, 10)};
  for (const Composition& c : cases) {
    const Result result = epsilon(c, 0);
    EXPECT_EQ(result.value, inf);
    EXPECT_EQ(result.upper, inf);
    EXPECT_EQ(result.status, Status::unbounded);
    EXPECT_STREQ(name(result.status), "unbounded");
  }
}

TEST(AccountantEdge, EpsilonAboveFiftyIsMarked) {
  const Result below = epsilon(plain(50, 1e5), 1e-6);
  EXPECT_LT(below.value, 50);
  EXPECT_EQ(below.status, Status::ok);
  // 49.3193 at sigma = 50 (reference), so a little above 50 here.
  const Result above = epsilon(plain(49.4, 1e5), 1e-6);
  EXPECT_GT(above.value, 50);
  EXPECT_EQ(above.status, Status::no_meaningful_privacy);
  EXPECT_STREQ(name(above.status), "no_meaningful_privacy");
  Options rdp;
  rdp.method = Method::rdp;
  EXPECT_EQ(epsilon(poisson(0.5, 0.3, 100), 1e-6, rdp).status, Status::no_meaningful_privacy);
}

TEST(AccountantEdge, EpsilonBeyondTheRangeOfExp) {
  const Result result = epsilon(plain(0.01, 1), 1e-5);
  EXPECT_EQ(result.status, Status::no_meaningful_privacy);
  // 5425.5098461474273 by mpmath with 60 digits.
  EXPECT_NEAR(result.value, 5425.5098461474273, 1e-9);
  const Result sampled = epsilon(poisson(0.5, 0.1, 50), 1e-5);
  EXPECT_TRUE(std::isfinite(sampled.value));
  EXPECT_GT(sampled.value, 700);
  EXPECT_EQ(sampled.status, Status::no_meaningful_privacy);
}

std::vector<std::string> warnings(double delta, double units) {
  Options options;
  options.units = units;
  return epsilon(plain(5, 1), delta, options).warnings;
}

TEST(AccountantEdge, DeltaTimesUnits) {
  EXPECT_TRUE(warnings(1e-5, 0).empty());
  EXPECT_TRUE(warnings(1e-5, 9900).empty());
  ASSERT_EQ(warnings(1e-3, 200).size(), 1U);
  EXPECT_EQ(warnings(1e-3, 200)[0],
            "delta times the number of units is 0.2; it should be well below 1");
  for (const double units : {1000.0, 3256.0}) {
    ASSERT_EQ(warnings(1e-3, units).size(), 1U);
    EXPECT_EQ(warnings(1e-3, units)[0], "delta_too_large: delta times the number of units is " +
                                            shown(1e-3 * units) +
                                            ": publishing one unit at random would satisfy it");
  }
}

TEST(AccountantEdge, DeltaTimesUnitsIsSaidOnceInACalibration) {
  Options options;
  options.units = 1000;
  EXPECT_EQ(calibrate_noise(plain(1, 1), 1, 1e-3, options).warnings.size(), 1U);
  EXPECT_EQ(calibrate_rounds(plain(5, 1), 1, 1e-3, options).warnings.size(), 1U);
  EXPECT_EQ(calibrate_rate(poisson(0.1, 1, 5), 1, 1e-3, options).warnings.size(), 1U);
}

TEST(AccountantEdge, DeltaTooSmallForADoubleIsNotZero) {
  // delta is about 10^-5428581 here: (500, 0)-privacy is what Gaussian noise never gives.
  EXPECT_GT(delta(plain(10, 1), 500).value, 0);
  EXPECT_GT(delta(poisson(0.1, 10, 1), 500).value, 0);
}

TEST(AccountantEdge, UnfinishedIsNeverSilent) {
  // More steps than the loss grid can take: the smallest of the other bounds is reported, with the
  // width of the bounds.
  const Result result = epsilon(poisson(0.999999, 1e6, 1e12), 1e-5);
  EXPECT_EQ(result.status, Status::not_converged);
  EXPECT_LE(result.value, epsilon(plain(1e6, 1e12), 1e-5).value);
  EXPECT_GT(width(result), loose_above);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_EQ(result.warnings.back(),
            "the bounds remain apart by a share of " + shown(width(result)) + " of the value");
}

}  // namespace trilemma::accounting::bad_input_test
