// Random signs of masked coordinates (CSGM): the account of d coordinates, and its use of a bound
// on the norm (joint mechanisms, section 1 of the specification).

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/renyi.hpp"

namespace trilemma::accounting::masked_signs_test {

constexpr double dimension = 1000, delta = 1e-6;

Composition masked(Relation relation, double rate, double sigma, double range = 1) {
  return {relation, {{Sampling::poisson, rate, sigma, dimension, range}}};
}

struct Row {
  double target, rate, added, replaced;  ///< epsilon, gamma, and z of both relations
};

// Of the specification.
TEST(MaskedSigns, NoiseOfTheTable) {
  constexpr Row rows[] = {{1, 1, 133.5961, 267.1922},
                          {1, .1, 13.4335, 26.7185},
                          {1, .05, 6.7750, 13.3585},
                          {6, .05, 1.5339, 2.6393}};
  for (const Row& row : rows) {
    const auto noise = [&](Relation relation) {
      return calibrate_noise(masked(relation, row.rate, 1), row.target, delta).value;
    };
    EXPECT_NEAR(noise(Relation::add_remove), row.added, 2e-4 * row.added) << row.rate;
    EXPECT_NEAR(noise(Relation::replace_one), row.replaced, 2e-4 * row.replaced) << row.rate;
  }
}

// cheuktingli/PoissonPrivateRepr, ppr_gaussian.py: sigma sqrt(d) / n of the uncompressed Gaussian
// mechanism by Renyi divergences of the orders 2, ..., 128 and 256.
TEST(MaskedSigns, PublishedNoiseOfTheGaussianMechanism) {
  constexpr std::array published = {
      4.882086889028869,   3.9679189741491427,  3.3364211942171096,  2.8634312157009845,
      2.3019819419459964,  1.8747964864360256,  1.5538586528691667,  1.2877791526989313,
      1.0672471110410697,  0.8844837768265279,  0.7330586255193339,  0.6075917051930446,
      0.5037058084326418,  0.41768527080421336, 0.3464718975010328,  0.2875101876725239,
      0.2387659731994063,  0.19835389211948495, 0.16497265773978143, 0.13732613588217646,
      0.11441668029874563, 0.09548273251311912, 0.0797361920831463,  0.06675924500996189,
      0.05615120198854129};
  for (std::size_t i = 0; i < published.size(); ++i) {
    const double z = published[i] * 500 / std::sqrt(1000.0);
    RenyiCurve curve({Relation::add_remove, {{Sampling::none, 1, z, 1}}});
    double least = 1e300;
    for (int a = 2; a <= 256; a = a < 128 ? a + 1 : a + 128)
      least = std::min(least, curve.at(a) + std::log1p(-1.0 / a) - std::log(delta * a) / (a - 1));
    const double step = std::log(6 / .05) / 24;
    EXPECT_NEAR(least, .05 * std::exp(step * static_cast<double>(i)), 3e-9 * least) << i;
  }
}

// log E_Q[(P/Q)^a] for densities that mix N(-1), N(0) and N(1) of variance z^2 with these weights.
using Mixture = std::array<double, 3>;
double log_moment(const Mixture& p, const Mixture& q, double z, int order) {
  const double step = z / 16, last = 2 * order + 12 * z;
  double sum = 0;
  for (double x = -last; x < last; x += step) {
    double at_p = 0, at_q = 0;
    for (int i = 0; i < 3; ++i) {
      const double normal = std::exp((x * (i - 1) - (i - 1) * (i - 1) / 2.0) / (z * z));
      at_p += p[static_cast<std::size_t>(i)] * normal;
      at_q += q[static_cast<std::size_t>(i)] * normal;
    }
    sum += std::exp(order * std::log(at_p) + (1 - order) * std::log(at_q) - x * x / (2 * z * z));
  }
  return std::log(sum * step / (z * std::sqrt(2 * std::numbers::pi)));
}
Mixture signs(double rate, double y) { return {rate * (1 - y) / 2, 1 - rate, rate * (1 + y) / 2}; }
constexpr Mixture none{0, 1, 0};

struct Case {
  double rate, sigma, range;
  int order;
};
constexpr Case cases[] = {{.05, 3, 3, 12}, {.2, 2, 2, 5},    {1, 6, 3, 2},
                          {.5, 3, 1.5, 3}, {.1, .7, 2.5, 2}, {.05, 20, 3, 30}};

// Vectors of norm at most sqrt(d) / kappa with coordinates up to 1, by their laws.
std::vector<std::vector<double>> vectors(double range, unsigned seed) {
  constexpr std::size_t d = 36;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double norm = std::sqrt(double{d}) / range;
  std::vector<std::vector<double>> found{std::vector<double>(d, 1 / range),
                                         std::vector<double>(d, 0)};
  std::vector<double> few(d, 0);
  std::fill_n(few.begin(), static_cast<std::size_t>(d / (range * range)), 1.0);
  found.push_back(few);
  for (const double power : {1.0, 3.0, 8.0}) {
    std::vector<double> y(d);
    double square = 0;
    for (double& value : y) {
      const double u = uniform(generator);
      value = std::copysign(std::pow(std::abs(u), power), u);
      square += value * value;
    }
    for (double& value : y) value *= std::min(1.0, norm / std::sqrt(square));
    found.push_back(y);
  }
  return found;
}

double mean_moment(const Case& c, const std::vector<double>& y, const std::vector<double>* other,
                   bool backwards) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const Mixture here = signs(c.rate, y[j]);
    const Mixture there = other != nullptr ? signs(c.rate, -(*other)[j]) : none;
    sum += backwards ? log_moment(there, here, c.sigma, c.order)
                     : log_moment(here, there, c.sigma, c.order);
  }
  return sum / static_cast<double>(y.size()) / (c.order - 1);
}

TEST(MaskedSigns, NoVectorWithinTheNormCostsMore) {
  for (const Case& c : cases) {
    SCOPED_TRACE(shown(c.rate) + ", z = " + shown(c.sigma));
    const auto at = [&](Relation relation) {
      return SignsRenyi(relation, {Sampling::poisson, c.rate, c.sigma, 1, c.range}).at(c.order);
    };
    const double added = at(Relation::add_remove), replaced = at(Relation::replace_one);
    double most_added = 0, most_replaced = 0;
    const auto all = vectors(c.range, 7), others = vectors(c.range, 8);
    for (const auto& y : all) {
      for (const bool backwards : {false, true})
        most_added = std::max(most_added, mean_moment(c, y, nullptr, backwards));
      for (const auto& other : others)
        most_replaced = std::max(most_replaced, mean_moment(c, y, &other, false));
    }
    EXPECT_LE(most_added, added * (1 + 1e-9));
    EXPECT_LE(most_replaced, replaced * (1 + 1e-9));
    // Hardly more than the worst of them.
    EXPECT_GT(most_added, 0.8 * added);
    EXPECT_GT(most_replaced, 0.8 * replaced);
  }
}

// rdp(c) / kappa^2, which holds for values that are sent exactly, is exceeded by signs of a vector
// whose coordinates are equal in size.
TEST(MaskedSigns, CostMoreThanExactValues) {
  const Case c = cases[0];
  const std::vector<double> flat(4, 1 / c.range);
  const double exact =
      renyi({DominatingPair::Kind::remove, c.rate, c.sigma}, c.order) / (c.range * c.range);
  EXPECT_GT(mean_moment(c, flat, nullptr, false), 1.2 * exact);
}

TEST(MaskedSigns, WithoutABoundOnTheNormEveryStepCounts) {
  const Component c{Sampling::poisson, .1, 2, 1, 1 + 1e-12};
  for (const Relation relation : {Relation::add_remove, Relation::replace_one}) {
    SignsRenyi bounded(relation, c);
    RenyiCurve plain({relation, {{Sampling::poisson, .1, 2, 1}}});
    for (const int order : {2, 7, 33})
      EXPECT_NEAR(bounded.at(order), plain.at(order), 1e-9 * plain.at(order)) << order;
    // Between integers (a-1) rdp(a) is interpolated.
    EXPECT_NEAR(1.5 * bounded.at(2.5), (bounded.at(2) + 2 * bounded.at(3)) / 2, 1e-12);
    EXPECT_NEAR(0.5 * bounded.at(1.5), bounded.at(2) / 2, 1e-12);
  }
}

// Own search over even orders with the same bounds, by quadrature in NumPy.
TEST(MaskedSigns, NoiseUnderABoundOnTheNorm) {
  constexpr Row rows[] = {
      {1, .05, 3.086398, 4.882003}, {1, .2, 10.115986, 19.518247}, {1, 1, 48.841110, 97.607383}};
  for (const Row& row : rows) {
    const auto noise = [&](Relation relation) {
      return calibrate_noise(masked(relation, row.rate, 1, 3), row.target, delta).value;
    };
    EXPECT_NEAR(noise(Relation::add_remove), row.added, 2e-3 * row.added) << row.rate;
    EXPECT_NEAR(noise(Relation::replace_one), row.replaced, 2e-3 * row.replaced) << row.rate;
  }
}

TEST(MaskedSigns, BoundsAreInOrder) {
  for (const double range : {1.01, 1.5, 3.0, 30.0}) {
    const Composition c = masked(Relation::replace_one, .1, 26.7185 / range, range);
    const Result all = epsilon(masked(Relation::replace_one, .1, 26.7185 / range), delta);
    const Result found = epsilon(c, delta);
    EXPECT_LE(found.value, all.value);
    EXPECT_LE(found.lower, found.value);
    EXPECT_GT(found.lower, 0);
    EXPECT_LE(accounting::delta(c, found.value).value, delta * (1 + 1e-3)) << range;
  }
}

TEST(MaskedSigns, RangeIsForCoordinatesThatAreDrawn) {
  const auto with = [](Sampling sampling, double range) {
    validate({Relation::add_remove, {{sampling, 1, 1, 1, range}}});
  };
  EXPECT_NO_THROW(with(Sampling::poisson, 2));
  EXPECT_THROW(with(Sampling::none, 2), std::invalid_argument);
  EXPECT_THROW(with(Sampling::poisson, 0.5), std::invalid_argument);
  EXPECT_THROW(with(Sampling::poisson, std::nan("")), std::invalid_argument);
}

// Of two coordinates at kappa^2 = 1.44 one can be of full size in each round, and not 138 in 100.
TEST(MaskedSigns, TheLowerBoundCountsWhatFitsIntoARound) {
  Component signs{
      .sampling = Sampling::poisson, .rate = 0.1, .sigma = 2, .steps = 200, .range = 1.2};
  signs.rounds = 100;
  Component one = signs;
  one.steps = 100;
  one.range = 1;
  const Result found = epsilon({Relation::add_remove, {signs}}, 1e-5);
  EXPECT_DOUBLE_EQ(found.lower, epsilon({Relation::add_remove, {one}}, 1e-5).lower);
  EXPECT_LT(found.lower, found.value);
}

}  // namespace trilemma::accounting::masked_signs_test
