// The discretised loss of one step: its two delta curves hold the exact one between them.

#include "privacy/accountant/loss_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "privacy/accountant/one_step.hpp"

namespace trilemma::accounting::loss_grid_test {

using Kind = DominatingPair::Kind;

constexpr double tail = 1e-20;

struct Step {
  Kind kind;
  double rate, sigma, h, tilt;
};

std::vector<Step> steps() {
  std::vector<Step> out;
  for (const Kind kind : {Kind::remove, Kind::add, Kind::replace, Kind::subset})
    for (const double rate : {1e-4, 0.01, 0.4, 0.99, 1.0})
      for (const double sigma : {0.4, 1.0, 6.0, 50.0})
        for (const double h : {0.2, 0.01, 1e-3})
          for (const double tilt : {0.0, 4.0})
            if (sigma >= 1 || h >= 0.01) out.push_back({kind, rate, sigma, h, tilt});
  return out;
}

// log E_P[exp(tilt L)], about.
double log_mgf(const DominatingPair& pair, double tilt) {
  const double step = pair.sigma() / 20;
  double sum = 0;
  for (double x = -2 - 12 * pair.sigma(); x < 12 + 12 * pair.sigma(); x += step)
    sum += std::exp(pair.log_density_q(x) + (1 + tilt) * pair.loss(x)) * step;
  return std::log(sum / (pair.sigma() * std::sqrt(2 * std::acos(-1.0))));
}

LossGrid grid_of(const Step& s, const DominatingPair& pair) {
  return discretise(pair, {s.h, s.tilt, log_mgf(pair, s.tilt), tail});
}

// delta(epsilon) of masses on the grid.
double curve(const LossGrid& grid, const std::vector<double>& mass, double h, double epsilon) {
  double sum = 0;
  for (std::size_t k = mass.size(); k-- > 0;) {
    const double loss = grid.offset + static_cast<double>(grid.index[k]) * h;
    if (loss <= epsilon) break;
    sum += mass[k] * -std::expm1(epsilon - loss);
  }
  return sum;
}

std::string text(const Step& s) {
  return std::to_string(static_cast<int>(s.kind)) + " q " + shown(s.rate) + " z " + shown(s.sigma) +
         " h " + shown(s.h) + " tilt " + shown(s.tilt);
}

TEST(LossGrid, CurvesBracketTheExactOne) {
  for (const Step& s : steps()) {
    SCOPED_TRACE(text(s));
    const DominatingPair pair(s.kind, s.rate, s.sigma);
    const LossGrid grid = grid_of(s, pair);
    // On, between and far from grid points; below zero as well: sums of losses need all of them.
    for (const double x : {-6.0, -3.0, -1.5, -0.7, 0.0, 0.3, 0.7, 1.1, 2.0, 3.0, 5.0, 8.0})
      for (const double shift : {0.0, 0.31, 0.5}) {
        const double at = std::floor((pair.loss(x * s.sigma) - grid.offset) / s.h) + shift;
        const double epsilon = grid.offset + at * s.h;
        const double exact = std::exp(log_delta(pair, epsilon));
        const double slack = 1e-11 * exact + 1e-15;
        ASSERT_GE(curve(grid, grid.upper, s.h, epsilon) + grid.infinite, exact - slack) << epsilon;
        ASSERT_LE(curve(grid, grid.lower, s.h, epsilon), exact + slack) << epsilon;
      }
  }
}

TEST(LossGrid, MassesArePositiveAndSumToOne) {
  for (const Step& s : steps()) {
    SCOPED_TRACE(text(s));
    const DominatingPair pair(s.kind, s.rate, s.sigma);
    const LossGrid grid = grid_of(s, pair);
    ASSERT_EQ(grid.index.size(), grid.upper.size());
    ASSERT_EQ(grid.index.size(), grid.lower.size());
    double p = grid.infinite;
    double q = 0;
    for (std::size_t k = 0; k < grid.index.size(); ++k) {
      if (k > 0) {
        ASSERT_GT(grid.index[k], grid.index[k - 1]);
      }
      ASSERT_GE(grid.upper[k], 0);
      ASSERT_GE(grid.lower[k], -1e-20);  // rounding
      p += grid.upper[k];
      q += grid.upper[k] * std::exp(-grid.offset - static_cast<double>(grid.index[k]) * s.h);
    }
    EXPECT_NEAR(p, 1, 1e-12);
    // The other distribution of the pair is kept too.
    EXPECT_NEAR(q, 1, 1e-9);
    EXPECT_LE(std::accumulate(grid.lower.begin(), grid.lower.end(), 0.0), 1 + 1e-12);
    EXPECT_GE(std::accumulate(grid.lower.begin(), grid.lower.end(), 0.0), 1 - 1e-12);
    EXPECT_LE(grid.infinite, 2 * tail);
  }
}

// Both sides err by O(h^2).
TEST(LossGrid, HalfTheStepLeavesAQuarterOfTheGap) {
  for (const Kind kind : {Kind::remove, Kind::add, Kind::replace, Kind::subset}) {
    const DominatingPair pair(kind, 0.3, 1);
    const double epsilon = kind == Kind::add ? 0.2 : 0.5;
    double last[2] = {0, 0};
    for (const double h : {0.1, 0.05, 0.025, 0.0125}) {
      const LossGrid grid = discretise(pair, {h, 0, 0, tail});
      // The middle of a cell: there the gap is largest.
      const double at = grid.offset + (std::floor((epsilon - grid.offset) / h) + 0.5) * h;
      const double exact = std::exp(log_delta(pair, at));
      const double gap[2] = {curve(grid, grid.upper, h, at) + grid.infinite - exact,
                             exact - curve(grid, grid.lower, h, at)};
      for (int side = 0; side < 2; ++side) {
        if (last[side] > 0) {
          EXPECT_LT(gap[side], 0.35 * last[side]) << h << " side " << side;
        }
        last[side] = std::max(gap[side], 1e-12);
      }
    }
  }
}

}  // namespace trilemma::accounting::loss_grid_test
