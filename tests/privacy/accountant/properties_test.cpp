// What holds for epsilon whatever the accountant: order in every argument, between methods and
// between relations (spec privacy.md 4), and tables of the spec.

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/saddle_point.hpp"
#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::properties_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

struct Point {
  double q, z, t, delta;
};
// The corners of what experiments ask.
constexpr Point points[] = {
    {1e-4, 0.7, 1e4, 1e-9}, {1e-4, 2, 1e5, 1e-9},   {1e-3, 50, 1e5, 1e-9}, {0.01, 1, 1000, 1e-5},
    {0.01, 0.3, 2, 1e-5},   {0.05, 20, 1e5, 1e-30}, {0.2, 4, 50, 1e-30},   {0.2, 0.8, 3, 1e-9},
    {0.5, 0.3, 10, 1e-9},   {0.5, 5, 100, 1e-2},    {0.99, 1, 10, 1e-5},   {0.9, 50, 1e5, 1e-9},
    {1, 50, 1e5, 1e-9},     {0.01, 1, 1e5, 1e-30},
};

std::string text(const Point& p) {
  return "q " + shown(p.q) + " z " + shown(p.z) + " T " + shown(p.t) + " delta " + shown(p.delta);
}
Result at(const Point& p, Relation relation = Relation::add_remove) {
  return epsilon(poisson(p.q, p.z, p.t, relation), p.delta);
}

TEST(AccountantOrder, FallsInNoiseAndDeltaRisesInRateAndSteps) {
  for (const Point& p : points) {
    SCOPED_TRACE(text(p));
    const Result here = at(p);
    ASSERT_GT(here.lower, 0);
    ASSERT_LE(here.value - here.lower, 1e-2 * here.value);
    // Steps of some percent are more than the width of the bounds.
    EXPECT_LT(at({p.q, 1.03 * p.z, p.t, p.delta}).value, here.lower);
    EXPECT_LT(at({p.q, p.z, p.t, 1.2 * p.delta}).value, here.lower);
    EXPECT_GT(at({p.q, p.z, std::ceil(1.1 * p.t), p.delta}).lower, here.value);
    if (p.q < 0.9) {
      EXPECT_GT(at({1.1 * p.q, p.z, p.t, p.delta}).lower, here.value);
    }
  }
}

TEST(AccountantOrder, FixedSize) {
  const double here = epsilon(fixed_size(0.05, 4, 100), 1e-6).value;
  EXPECT_LT(epsilon(fixed_size(0.05, 4.1, 100), 1e-6).value, here);
  EXPECT_LT(epsilon(fixed_size(0.05, 4, 100), 2e-6).value, here);
  EXPECT_GT(epsilon(fixed_size(0.051, 4, 100), 1e-6).value, here);
  EXPECT_GT(epsilon(fixed_size(0.05, 4, 101), 1e-6).value, here);
}

// However small delta is: nothing that is said to be certified may fall as delta does.
TEST(AccountantOrder, DownToTheSmallestDelta) {
  double last = 0;
  for (const double d : {1e-5, 1e-15, 1e-30, 1e-60, 1e-120, 1e-200, 1e-250, 1e-290, 1e-305}) {
    const Result result = epsilon(poisson(0.1, 1, 100), d);
    EXPECT_GT(result.value, last) << d;
    EXPECT_LE(result.lower, result.value);
    last = std::max(last, result.lower);
  }
}

// Few steps of a small rate, where the loss is nearly an atom: at least what a single one costs.
TEST(AccountantOrder, NeverBelowASingleStep) {
  const Point few[] = {{6.55e-4, 2.4, 51, 1e-12},
                       {6.55e-4, 2.4, 51, 1e-30},
                       {6.5537292624428698e-4, 2.3987318020077901, 51, 2.52176e-38},
                       {1.2939885312106638e-4, 0.96314822163775649, 267, 7.59614e-44},
                       {1.0604405515607649e-4, 2.6020999739904545, 10, 3.26482e-51},
                       {8.7018220323142339e-4, 7.9323417960774094, 7, 2.98176e-76}};
  for (const Point& p : few) {
    SCOPED_TRACE(text(p));
    const Result result = at(p);
    EXPECT_LE(result.lower, result.value);
    EXPECT_GE(result.value, at({p.q, p.z, 1, p.delta}).lower);
  }
}

TEST(AccountantMethods, SaddlePointPldRenyiInThisOrder) {
  for (const Point& p : points) {
    SCOPED_TRACE(text(p));
    if (p.q == 1 || (p.q < 1e-3 && p.z < 1)) continue;
    for (const Relation relation : {Relation::add_remove, Relation::replace_one}) {
      const Composition c = poisson(p.q, p.z, p.t, relation);
      const Result pld = pld_epsilon(c, p.delta);
      EXPECT_LE(pld.value, renyi_epsilon(c, p.delta, Orders::refined).value);
      EXPECT_LE(pld.value, renyi_epsilon(c, p.delta).value);
      if (p.t * p.q < 20 && p.q < 0.9) continue;  // slow
      if (p.delta < 1e-9) continue;
      const Result saddle_point = saddle_point_epsilon(c, p.delta);
      ASSERT_EQ(saddle_point.status, Status::ok);
      EXPECT_LE(pld.lower, saddle_point.value * (1 + 1e-7));
      EXPECT_GE(pld.value, saddle_point.value * (1 - 1e-7));
    }
  }
}

TEST(AccountantMethods, AgreeOnDelta) {
  for (const Point& p : points) {
    SCOPED_TRACE(text(p));
    if (p.q < 1e-3 && p.z < 1) continue;  // slow
    const Composition c = poisson(p.q, p.z, p.t);
    const Result eps = at(p);
    // epsilon -> delta -> epsilon: one bracket must hold the other's ends.
    const Result back = delta(c, eps.value);
    EXPECT_LE(back.lower, p.delta * (1 + 1e-9));
    EXPECT_GE(delta(c, eps.lower * (1 - 1e-12)).value, p.delta * (1 - 1e-9));
    // Epsilon is known to a relative 3e-4, and log delta falls at most about twice as fast.
    EXPECT_NEAR(std::log(back.value), std::log(p.delta), 0.01 - 6e-4 * std::log(p.delta));
    EXPECT_GE(renyi_delta(c, eps.value, Orders::refined).value, back.lower);
  }
}

TEST(AccountantComposition, WithoutSamplingPldIsTheClosedForm) {
  for (const double z : {0.5, 1.0, 50.0})
    for (const double t : {1.0, 10.0, 1e5}) {
      if (z < 50 && t > 10) continue;
      const double wanted = epsilon(plain(z / std::sqrt(t), 1), 1e-9).value;
      EXPECT_NEAR(epsilon(plain(z, t), 1e-9).value, wanted, 1e-11 * wanted);
      const Result pld = pld_epsilon(plain(z, t), 1e-9);
      EXPECT_LE(pld.lower, wanted * (1 + 1e-12));
      EXPECT_GE(pld.value, wanted * (1 - 1e-12));
      EXPECT_NEAR(pld.value, wanted, 1e-3 * wanted);
    }
}

TEST(AccountantComposition, OrderAndSplittingOfComponentsDoNotMatter) {
  for (const Relation relation : {Relation::add_remove, Relation::replace_one}) {
    Composition a{relation,
                  {{Sampling::poisson, 0.1, 2, 50},
                   {Sampling::poisson, 1e-3, 0.6, 1000},
                   {Sampling::none, 1, 10, 1}}};
    Composition b{relation, {a.components[2], a.components[0], a.components[1]}};
    Composition split = a;
    split.components[1].steps = 400;
    split.components.push_back({Sampling::poisson, 1e-3, 0.6, 600});
    split.components.push_back({Sampling::poisson, 0, 1, 100});
    const Result wanted = epsilon(a, 1e-6);
    for (const auto& other : {b, split}) {
      const Result found = epsilon(other, 1e-6);
      EXPECT_NEAR(found.value, wanted.value, 1e-7 * wanted.value);
      EXPECT_NEAR(found.lower, wanted.lower, 1e-7 * wanted.value);
      EXPECT_NEAR(renyi_epsilon(other, 1e-6).value / renyi_epsilon(a, 1e-6).value, 1, 1e-12);
    }
  }
}

TEST(AccountantRelations, ContinuousInTheRateAtOne) {
  for (const Relation relation : {Relation::add_remove, Relation::replace_one})
    for (const double t : {1.0, 10.0}) {
      const double all = epsilon(poisson(1, 3, t, relation), 1e-6).value;
      double last = 0;
      for (const double gap : {1e-2, 1e-4, 1e-6, 1e-9, 1e-15}) {
        const Result near = epsilon(poisson(1 - gap, 3, t, relation), 1e-6);
        EXPECT_NEAR(near.value, all, (4e-4 + 3 * gap) * all) << gap;
        EXPECT_LE(near.lower, all * (1 + 1e-9));
        EXPECT_GE(near.value, last * (1 - 1e-9));
        last = near.lower;
      }
    }
}

TEST(AccountantRelations, ReplaceOneCostsMoreAndZeroOutTheSame) {
  for (const Point& p : points) {
    SCOPED_TRACE(text(p));
    if (p.q < 1e-3 && p.z < 1) continue;  // slow
    const Result add_remove = at(p);
    EXPECT_GT(at(p, Relation::replace_one).lower, add_remove.lower);
    EXPECT_EQ(at(p, Relation::zero_out).value, add_remove.value);
    // Group privacy: twice epsilon at (1 + e^epsilon) delta.
    const double more = p.delta * (1 + std::exp(add_remove.value));
    if (more < 0.1) {
      EXPECT_LE(epsilon(poisson(p.q, p.z, p.t, Relation::replace_one), more).lower,
                2 * add_remove.value);
    }
  }
  for (const double z : {0.6, 2.0, 50.0})
    EXPECT_NEAR(epsilon(plain(z, 7, Relation::replace_one), 1e-5).value /
                    epsilon(plain(z / 2, 7), 1e-5).value,
                1, 1e-12);
  EXPECT_NEAR(epsilon(poisson(1, 2, 1, Relation::replace_one), 1e-5).value, 4.3771780956812246,
              1e-12);
}

TEST(AccountantTables, TheoremTwentySeven) {
  const double rows[][4] = {{0.01, 1, 2, 5.4350863810943249e-4},
                            {0.1, 4, 32, 0.039177977649703712},
                            {0.02, 2, 48, 2.0198941204733875}};
  for (const auto& [q, distance_sigma, order, wanted] : rows) {
    EXPECT_NEAR(FixedSizeRenyi(q, distance_sigma).at(order) / wanted, 1, 1e-12);
    EXPECT_NEAR(RenyiCurve(fixed_size(q, 2 * distance_sigma, 1)).at(order) / wanted, 1, 1e-12);
  }
}

// Spec 2.1: what the paper's closed form of the noise is worth, to the digits printed there.
TEST(AccountantTables, NoiseByAClosedForm) {
  const double rows[][5] = {{1, 500, 1e-6, 5, 6.873},
                            {0.2, 200, 1e-5, 1, 1.125},
                            {0.2, 200, 1e-5, 5, 7.800},
                            {0.2, 200, 1e-5, 8, 15.787}};
  for (const auto& [q, t, d, nominal, wanted] : rows) {
    const double z = q * std::sqrt(t * std::log(1 / d)) / nominal;
    const Result result = epsilon(poisson(q, z, t), d);
    EXPECT_GE(result.value, wanted - 5e-4);
    EXPECT_LE(result.lower, wanted + 5e-4);
  }
}

// Spec 2.3: the factor 2 of replace_one from end to end.
TEST(AccountantTables, BothRelationsOfAClosedForm) {
  const double rows[][5] = {{0.1, 100, 1e-3, 0.0235, 0.0083},
                            {1, 200, 1e-5, 0.520, 0.244},
                            {2, 500, 1e-5, 1.110, 0.520},
                            {8, 500, 1e-5, 5.302, 2.397}};
  for (const auto& [nominal, t, d, replace, add_remove] : rows) {
    const double z = 4 * std::sqrt(t * std::log(1 / d)) / nominal;
    const double rounding = replace < 0.1 ? 5e-5 : 5e-4;
    EXPECT_NEAR(epsilon(plain(z, t, Relation::replace_one), d).value, replace, rounding);
    EXPECT_NEAR(epsilon(plain(z, t), d).value, add_remove, rounding);
  }
}

}  // namespace trilemma::accounting::properties_test
