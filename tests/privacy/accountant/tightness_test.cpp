// Settings that accountants used to fail on: bounds on both sides within 1 % on ordinary settings,
// and monotone epsilon on a dense grid. Values for samples of a fixed size come from an independent
// oracle.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/renyi.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::tightness_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

std::string text(const Composition& c, double delta) {
  return in_words(c) + ", delta " + shown(delta);
}

void expect_tight(const Composition& composition, double delta) {
  const Result result = epsilon(composition, delta);
  EXPECT_TRUE(result.status == Status::ok || result.status == Status::no_meaningful_privacy)
      << text(composition, delta) << ": " << name(result.status);
  EXPECT_LE(width(result), loose_above) << text(composition, delta);
  EXPECT_LE(result.value, renyi_epsilon(composition, delta, Orders::refined).value);
}

TEST(Tightness, OrdinarySettings) {
  for (const double q : {2e-4, 1e-3, 5e-3, 2e-2, 5e-2})
    for (const double z : {0.6, 1.0, 1.35, 1.5, 3.0})
      for (const double t : {2.0, 20.0, 100.0, 1000.0})
        for (const double delta : {1e-3, 1e-6}) expect_tight(poisson(q, z, t), delta);
}

// Compositions of one to three components with an epsilon of at most 100.
TEST(Tightness, RandomCompositions) {
  std::mt19937_64 generator(20);
  auto draw = [&](double low, double high) {
    const double u = static_cast<double>(generator() >> 11U) * 0x1p-53;
    return low * std::pow(high / low, u);
  };
  for (int found = 0; found < 60;) {
    Composition c;
    c.relation = generator() % 2 == 0 ? Relation::add_remove : Relation::replace_one;
    const std::size_t count = generator() % 3 == 0 ? 2 + generator() % 2 : 1;
    for (std::size_t j = 0; j < count; ++j) {
      const bool all = generator() % 5 == 0;
      const bool fixed = c.relation == Relation::replace_one && generator() % 2 == 0;
      c.components.push_back({all     ? Sampling::none
                              : fixed ? Sampling::fixed_wor
                                      : Sampling::poisson,
                              all ? 1 : draw(1e-4, 1), draw(0.3, 20) * (all ? 5 : 1),
                              std::floor(draw(1, 1e4))});
    }
    const double delta = draw(1e-9, 1e-2);
    if (!(renyi_epsilon(c, delta).value < 100)) continue;
    ++found;
    expect_tight(c, delta);
  }
}

// More noise, a larger delta, fewer rounds or a smaller rate never cost more. Neighbouring values
// may differ by less than the width of the bounds, so the bounds are compared.
TEST(Tightness, InOrderOnADenseGrid) {
  const Composition base = poisson(5e-3, 1.3, 20);
  auto expect_order = [](const Result& cheap, const Result& dear, const std::string& where) {
    EXPECT_LE(cheap.lower, dear.value) << where;
    EXPECT_LE(cheap.value, 1.001 * dear.value) << where;
  };
  for (const Relation relation : {Relation::add_remove, Relation::replace_one})
    for (const bool fixed : {false, true}) {
      if (fixed && relation == Relation::add_remove) continue;
      Composition c = base;
      c.relation = relation;
      if (fixed) c.components[0].sampling = Sampling::fixed_wor;
      Result last = epsilon(c, 1e-5);
      for (double z = 1.3; z < 1.6; z += 0.01) {
        c.components[0].sigma = z;
        const Result now = epsilon(c, 1e-5);
        expect_order(now, last, "sigma " + shown(z));
        last = now;
      }
      last = epsilon(c, 1e-5);
      for (double t = 21; t < 1e4; t = std::ceil(1.3 * t)) {
        c.components[0].steps = t;
        const Result now = epsilon(c, 1e-5);
        expect_order(last, now, "steps " + shown(t));
        last = now;
      }
      c.components[0].steps = 20;
      last = epsilon(c, 1e-5);
      for (double q = 5.1e-3; q < 1; q *= 1.2) {
        c.components[0].rate = q;
        const Result now = epsilon(c, 1e-5);
        expect_order(last, now, "rate " + shown(q));
        last = now;
      }
      c.components[0].rate = 5e-3;
      last = epsilon(c, 1e-9);
      for (double delta = 1.5e-9; delta < 0.2; delta *= 1.5) {
        const Result now = epsilon(c, delta);
        expect_order(now, last, "delta " + shown(delta));
        last = now;
      }
    }
}

// A unit that is drawn with probability at most delta has lost no privacy at this delta.
TEST(Tightness, NothingWhereTheUnitIsHardlyEverDrawn) {
  for (const Relation relation : {Relation::add_remove, Relation::replace_one})
    for (const double z : {0.01, 0.3, 1.0, 20.0}) {
      EXPECT_EQ(epsilon(poisson(1e-4, z, 9, relation), 1e-3).value, 0);
      if (z < 0.1) continue;
      EXPECT_LE(delta(poisson(1e-4, z, 9, relation), 3).value, 9e-4 * (1 + 1e-9));
    }
  EXPECT_EQ(epsilon(fixed_size(1e-6, 0.3, 10), 1e-4).value, 0);
  Composition two = poisson(1e-5, 0.1, 10);
  two.components.push_back({Sampling::poisson, 1e-6, 0.1, 100});
  EXPECT_EQ(epsilon(two, 2.1e-4).value, 0);
  EXPECT_GT(epsilon(two, 1e-4).value, 0);
}

// However little noise there is, a sample costs no more than all units, and no more than a known
// sample.
TEST(Tightness, SamplesCostNoMoreThanEverybody) {
  for (const double z : {0.005, 0.05, 0.5, 5.0})
    for (const double q : {0.01, 0.5, 0.999}) {
      const Composition known{Relation::replace_one, {{Sampling::revealed, q, z, 10}}};
      const Composition everybody = plain(z, 10, Relation::replace_one);
      for (const Composition& c :
           {poisson(q, z, 10, Relation::replace_one), fixed_size(q, z, 10)}) {
        const double found = epsilon(c, 1e-6).value;
        EXPECT_LE(found, epsilon(everybody, 1e-6).value * (1 + 1e-12)) << text(c, 1e-6);
        EXPECT_LE(found, epsilon(known, 1e-6).value * (1 + 1e-3)) << text(c, 1e-6);
      }
    }
}

// More rounds are certified than the search began with.
TEST(Tightness, LargestNumberOfRounds) {
  const Composition round = poisson(1e-4, 1, 1);
  const Result most = calibrate_rounds(round, 0.1, 1e-5);
  EXPECT_EQ(most.status, Status::ok);
  EXPECT_GT(most.value, 10000);
  Composition all = round;
  all.components[0].steps = most.value;
  EXPECT_LE(epsilon(all, 1e-5).value, 0.1 * (1 + 1e-3));
  EXPECT_LE(most.upper, 1.01 * most.value);
}

// Expects [lower, upper] to be as narrow as `tolerance`, and epsilon to cross the target within it.
void expect_narrow(const Result& found, const std::function<Composition(double)>& at, double target,
                   double tolerance) {
  EXPECT_EQ(found.status, Status::ok);
  EXPECT_LE(width(found), tolerance);
  Effort fine;
  fine.tolerance = 1e-5;
  const double one = pld_epsilon(at(found.lower), 1e-5, fine).value;
  const double other = pld_epsilon(at(found.upper), 1e-5, fine).value;
  EXPECT_LE(std::min(one, other), target * (1 + 1e-5));
  EXPECT_GE(std::max(one, other), target);
}

TEST(Tightness, CalibrationsAreAsNarrowAsTheTolerance) {
  for (const double tolerance : {1e-2, 3e-4}) {
    Options options;
    options.effort.tolerance = tolerance;
    for (const auto& [sigma, steps] : {std::pair(1.1, 421.0), {4.0, 10000.0}}) {
      SCOPED_TRACE(fmt::format("tolerance {}, sigma {}, steps {}", tolerance, sigma, steps));
      expect_narrow(
          calibrate_rate(poisson(0.5, sigma, steps), 1, 1e-5, options),
          [&, z = sigma, t = steps](double q) { return poisson(q, z, t); }, 1, tolerance);
      expect_narrow(
          calibrate_noise(poisson(0.02, 1, steps), 1, 1e-5, options),
          [&, t = steps](double z) { return poisson(0.02, z, t); }, 1, tolerance);
    }
    // Epsilon grows like the root of the number of rounds, so that its bounds leave twice as much.
    const Result rounds = calibrate_rounds(poisson(0.005, 1.1, 1), 1, 1e-5, options);
    EXPECT_LE(width(rounds), 3 * tolerance);
    EXPECT_EQ(rounds.status == Status::ok, width(rounds) <= tolerance);
    EXPECT_EQ(rounds.warnings.empty(), rounds.status == Status::ok);
  }
}

// A wide tolerance leaves the bounds on epsilon further apart than those of a single account may
// be.
TEST(Tightness, CalibrationsWithinAWideToleranceAreConverged) {
  Options options;
  options.effort.tolerance = 0.05;
  const Result rounds = calibrate_rounds(poisson(0.01, 20, 1), 2, 1e-5, options);
  EXPECT_LE(width(rounds), 0.05);
  EXPECT_EQ(rounds.status, Status::ok);
  EXPECT_TRUE(rounds.warnings.empty());
}

// By an accountant of its own (FFT in double precision), epsilon 1 is crossed between 421 and 422
// steps at rate 0.01 and sigma 1.1.
TEST(Tightness, CalibrationsAgreeWithAnotherAccountant) {
  const Result rounds = calibrate_rounds(poisson(0.01, 1.1, 1), 1, 1e-5);
  EXPECT_EQ(rounds.value, 421);
  EXPECT_EQ(rounds.upper, 421);
  EXPECT_GE(calibrate_rate(poisson(0.5, 1.1, 421), 1, 1e-5).value, 0.01);
  EXPECT_LE(calibrate_rate(poisson(0.5, 1.1, 422), 1, 1e-5).upper, 0.01);
}

// An interval that too few grid points keep wide is not called converged.
TEST(Tightness, CalibrationsSayThatTheyAreWide) {
  Options options;
  options.effort.most_points = 1U << 10U;
  options.effort.tolerance = 1e-7;
  for (const Result& found : {calibrate_rate(poisson(0.5, 1.1, 421), 1, 1e-5, options),
                              calibrate_noise(poisson(0.01, 1, 421), 1, 1e-5, options)}) {
    EXPECT_GT(width(found), options.effort.tolerance);
    EXPECT_NE(found.status, Status::ok);
  }
}

// The dominating pair for samples of a fixed size, composed in double precision by another program
// on a grid of 2e-5 that preserves the mean of exp(-L) in every cell; `attained` by data sets that
// differ in one unit at norm C and -C.
TEST(FixedSize, AgreesWithAnOracle) {
  struct Row {
    double q, z, t, delta, wanted, attained;
  };
  for (const Row& r :
       {Row{0.1, 2, 8, 1e-5, 2.726763, 2.672}, Row{0.01, 2, 100, 1e-5, 0.768007, 0.718},
        Row{0.05, 4, 100, 1e-5, 1.198318, 1.097},
        Row{100 / 205.0, 10, 86, 1 / 206.0, 2.405432, 2.324},
        Row{0.001, 2, 66, 3e-3, 0.005788, 0.0028}}) {
    const Composition c = fixed_size(r.q, r.z, r.t);
    const Result result = epsilon(c, r.delta);
    EXPECT_NEAR(result.value, r.wanted, 1e-3 * r.wanted) << text(c, r.delta);
    EXPECT_GT(result.lower, r.attained);
    EXPECT_LT(result.value, renyi_epsilon(c, r.delta).value);
    EXPECT_NEAR(delta(c, result.value).value / r.delta, 1, 2e-2);
  }
}

TEST(FixedSize, OneReleaseAndAllUnitsHaveClosedForms) {
  for (const double z : {0.4, 1.0, 8.0})
    for (const double q : {0.01, 0.3, 0.9}) {
      const Result one = epsilon(fixed_size(q, z, 1), 1e-5);
      // Noise against a distance of 2 is half the noise against one of 1.
      EXPECT_EQ(one.value, one_step_epsilon({{DominatingPair::Kind::remove, q, z / 2}}, 1e-5).high);
      const Result grid = pld_epsilon(fixed_size(q, z, 1), 1e-5);
      EXPECT_LE(grid.lower, one.value * (1 + 1e-9));
      EXPECT_GE(grid.value, one.value * (1 - 1e-9));
    }
  const double all = epsilon(plain(3, 10, Relation::replace_one), 1e-6).value;
  for (const double gap : {1e-3, 1e-6, 1e-12})
    EXPECT_NEAR(epsilon(fixed_size(1 - gap, 3, 10), 1e-6).value, all, (5e-4 + 3 * gap) * all);
}

TEST(FixedSize, ComposesWithPoissonSamples) {
  Composition both = fixed_size(0.05, 4, 100);
  both.components.push_back({Sampling::poisson, 0.02, 3, 50});
  const Result together = epsilon(both, 1e-6);
  EXPECT_LE(width(together), loose_above);
  const double first = epsilon(fixed_size(0.05, 4, 100), 1e-6).lower;
  const double second = epsilon(poisson(0.02, 3, 50, Relation::replace_one), 1e-6).lower;
  EXPECT_GT(together.value, std::max(first, second));
  const double half = 0.5e-6;
  EXPECT_LT(together.value, epsilon(fixed_size(0.05, 4, 100), half).value +
                                epsilon(poisson(0.02, 3, 50, Relation::replace_one), half).value);
}

}  // namespace trilemma::accounting::tightness_test
