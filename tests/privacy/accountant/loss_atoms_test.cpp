// Discrete privacy losses (src/privacy/accountant/loss_atoms.hpp), on grids and composed.

#include "privacy/accountant/loss_atoms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accountant/loss_grid.hpp"
#include "privacy/accountant/pld.hpp"

namespace trilemma::accounting::loss_atoms_test {

double delta_of(const LossAtoms& pair, double epsilon) {
  double sum = pair.infinite();
  for (const LossAtom& atom : pair.atoms())
    if (atom.loss > epsilon) sum += atom.mass * -std::expm1(epsilon - atom.loss);
  return sum;
}

// Losses of Binomial(6, 2/3) against Binomial(6, 1/3): (2 k - 6) ln 2.
LossAtoms binomial_pair() {
  std::vector<LossAtom> atoms;
  double count = 1;
  for (int k = 0; k <= 6; ++k) {
    atoms.push_back({(2 * k - 6) * std::log(2.0), count * std::pow(2.0, k) / 729});
    count *= (6.0 - k) / (k + 1);
  }
  return LossAtoms(atoms);
}

TEST(LossAtoms, MassesBetweenPlaces) {
  const LossAtoms pair({{1, 0.5}, {-1, 0.2}, {2, 0.1}}, 0.2);
  const auto low = pair.place(-1);
  EXPECT_DOUBLE_EQ(pair.between(low, pair.place(1)).p, 0.5);
  EXPECT_DOUBLE_EQ(pair.between(low, pair.place(1)).q, 0.5 / std::exp(1));
  EXPECT_NEAR(pair.between(low, pair.place(std::numeric_limits<double>::infinity())).p, 0.8, 1e-15);
}

// On its own atoms a curve gives them back; on other points it gives an upper bound.
TEST(LossAtoms, CurvesGiveAtoms) {
  const LossAtoms pair = binomial_pair();
  std::vector<CurvePoint> own, other;
  const auto point = [&](double loss) {
    const double delta = delta_of(pair, loss);
    return CurvePoint{loss, delta, delta - 1 + std::exp(loss)};
  };
  for (const LossAtom& atom : pair.atoms()) own.push_back(point(atom.loss));
  for (double loss = -5; loss < 5.5; loss += 0.3) other.push_back(point(loss));
  const LossAtoms found = from_curve(own);
  for (std::size_t k = 0; k < own.size(); ++k) {
    EXPECT_DOUBLE_EQ(found.atoms()[k].loss, pair.atoms()[k].loss);
    EXPECT_NEAR(found.atoms()[k].mass, pair.atoms()[k].mass, 1e-14);
  }
  const LossAtoms above = from_curve(other);
  double p = 0, q = 0;
  for (const LossAtom& atom : above.atoms()) {
    p += atom.mass;
    q += atom.mass * std::exp(-atom.loss);
  }
  EXPECT_NEAR(p, 1, 1e-12);
  EXPECT_NEAR(q, 1, 1e-12);
  for (double epsilon = -5; epsilon < 5; epsilon += 0.17) {
    EXPECT_GE(delta_of(above, epsilon), delta_of(pair, epsilon) - 1e-15) << epsilon;
    EXPECT_LE(delta_of(above, epsilon), delta_of(pair, epsilon) + 0.03) << epsilon;
  }
}

TEST(LossAtoms, GridsHoldTheCurve) {
  const LossAtoms pair({{1.3, 0.5}, {-0.7, 0.25}, {0.2, 0.15}}, 0.1);
  for (const double h : {0.5, 0.03}) {
    const LossGrid grid = discretise(pair, {h, 1, 0, 1e-20});
    const auto curve = [&](const std::vector<double>& mass, double epsilon) {
      double sum = 0;
      for (std::size_t k = 0; k < mass.size(); ++k) {
        const double loss = grid.offset + static_cast<double>(grid.index[k]) * h;
        if (loss > epsilon) sum += mass[k] * -std::expm1(epsilon - loss);
      }
      return sum;
    };
    EXPECT_NEAR(grid.infinite, 0.1, 1e-15);
    for (double epsilon = -2; epsilon < 2; epsilon += 0.11) {
      const double exact = delta_of(pair, epsilon);
      EXPECT_GE(curve(grid.upper, epsilon) + grid.infinite, exact - 1e-14) << epsilon;
      EXPECT_LE(curve(grid.lower, epsilon), exact + 1e-14) << epsilon;
    }
  }
}

// 50 steps of the pair are Binomial(300, 2/3) against Binomial(300, 1/3).
TEST(LossAtoms, CompositionsAreBinomial) {
  double delta = 0;
  constexpr double epsilon = 120;
  for (int k = 0; k <= 300; ++k) {
    const double loss = (2 * k - 300) * std::log(2.0);
    const double log_mass = std::lgamma(301) - std::lgamma(k + 1) - std::lgamma(301 - k) +
                            k * std::log(2.0) - 300 * std::log(3.0);
    if (loss > epsilon) delta += std::exp(log_mass) * -std::expm1(epsilon - loss);
  }
  const std::vector<Repeated> steps{{binomial_pair(), 50, 0}};
  const Result found = pld_delta(steps, epsilon);
  EXPECT_LE(found.lower, delta * (1 + 1e-12));
  EXPECT_GE(found.value, delta * (1 - 1e-12));
  EXPECT_LT(found.value, 1.01 * delta);
  const Result back = pld_epsilon(steps, delta);
  EXPECT_LE(back.lower, epsilon);
  EXPECT_GE(back.value, epsilon);
  EXPECT_LT(back.value, 1.001 * epsilon);
}

}  // namespace trilemma::accounting::loss_atoms_test
