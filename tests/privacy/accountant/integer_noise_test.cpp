// Integer noise (src/privacy/accountant/integer_noise.hpp) against sums with 50 digits, published
// values and exact compositions.

#include "privacy/accountant/integer_noise.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting::integer_noise_test {

using Exact = boost::multiprecision::cpp_bin_float_50;
constexpr auto gaussian = IntegerLaw::discrete_gaussian;
constexpr auto skellam = IntegerLaw::skellam;

// Masses of k = 0, ..., most: exp(-k^2 / (2 sigma^2)) over the sum, and e^-V I_k(V) by its power
// series sum_m (V/2)^(2m+k) / (m! (m+k)!).
std::vector<Exact> exact_masses(const IntegerNoise& noise, int most) {
  const Exact v = Exact(noise.sigma) * noise.sigma;
  std::vector<Exact> mass;
  Exact all = 0;
  Exact first = 1;  // (V/2)^k / k!
  for (int k = 0; k <= most; ++k) {
    if (noise.law == gaussian) {
      mass.push_back(exp(-Exact(k) * k / (2 * v)));
      all += (k == 0 ? 1 : 2) * mass.back();
      continue;
    }
    if (k > 0) first *= v / 2 / k;
    Exact sum = 0;
    Exact term = first;
    for (int m = 1; term > 0 && (m < v || term > sum * 1e-52); ++m) {
      sum += term;
      term *= v / 2 * (v / 2) / m / (m + k);
    }
    mass.push_back(exp(-v) * sum);
  }
  if (noise.law == gaussian)
    for (Exact& p : mass) p /= all;
  return mass;
}

// mu1 by its definition, from tails with 50 digits.
Exact exact_shift_mu(const std::vector<Exact>& mass) {
  Exact sum = 0;
  std::vector<Exact> z;
  for (std::size_t j = mass.size(); j-- > 1;) {
    sum += mass[j];
    if (sum > 1e-41) z.push_back(boost::math::erfc_inv(Exact(2 * sum)) * sqrt(Exact(2)));
  }
  Exact most = 2 * z.back();  // z[i] belongs to the smaller j the larger i is
  for (std::size_t i = 1; i < z.size(); ++i) most = std::max(most, Exact(z[i - 1] - z[i]));
  return most;
}

const IntegerNoise laws[] = {{gaussian, 0.3}, {gaussian, 1}, {gaussian, 2}, {gaussian, 10},
                             {skellam, 0.1},  {skellam, 1},  {skellam, 2},  {skellam, 10}};

// sigma = 1/sqrt(2 log 2): weights 2^-(k^2), so P[0] = 1 / (1 + 2 (1/2 + 1/16 + 1/512 + ...)) and
// P[1] / P[0] = 1/2. Skellam noise of variance V: P[X = 0] = e^-V (1 + V^2/4 + V^4/64 + ...).
TEST(IntegerNoise, MassesByHand) {
  const IntegerTails halves({gaussian, 1 / std::sqrt(2 * std::log(2.0))});
  const double all = 1 + 2 * (0.5 + 0x1p-4 + 0x1p-9 + 0x1p-16 + 0x1p-25 + 0x1p-36 + 0x1p-49);
  EXPECT_NEAR(std::exp(halves.log_mass(0)), 1 / all, 1e-15);
  EXPECT_NEAR(std::exp(halves.log_mass(-1)), 0.5 / all, 1e-15);
  EXPECT_NEAR(std::exp(halves.log_mass(2)), 0.0625 / all, 1e-15);
  EXPECT_NEAR(std::exp(halves.log_tail(1)), 0.5 * (1 - 1 / all), 1e-15);
  EXPECT_NEAR(std::exp(halves.log_tail(0)), 0.5 * (1 + 1 / all), 1e-15);
  const IntegerTails small({skellam, 0.1});
  const double bessel = 1 + 1e-4 / 4 + 1e-8 / 64;
  EXPECT_NEAR(std::exp(small.log_mass(0)), std::exp(-0.01) * bessel, 1e-12);
  EXPECT_NEAR(std::exp(small.log_mass(1)), std::exp(-0.01) * 0.005 * (1 + 1e-4 / 8), 1e-12);
}

TEST(IntegerNoise, MassesAndTailsAreAccurateDownToTheFloor) {
  for (const IntegerNoise& noise : laws) {
    const IntegerTails tails(noise);
    const auto last = static_cast<int>(tails.last());
    const auto mass = exact_masses(noise, last + 60);
    Exact sum = 0;
    for (int j = last + 60; j >= 1; --j) {
      sum += mass[static_cast<std::size_t>(j)];
      if (j > last) continue;
      const auto p = log(mass[static_cast<std::size_t>(j)]).convert_to<double>();
      ASSERT_NEAR(tails.log_mass(j), p, 1e-13 * std::max(1.0, -p)) << noise.sigma << ' ' << j;
      const auto t = log(sum).convert_to<double>();
      ASSERT_NEAR(tails.log_tail(j), t, 1e-13 * std::max(1.0, -t)) << noise.sigma << ' ' << j;
      ASSERT_NEAR(tails.log_tail(1 - j), log(1 - sum).convert_to<double>(), 1e-15);
    }
    EXPECT_LT(tails.log_tail(tails.last()), std::log(1e-40));
    EXPECT_GE(tails.log_tail(tails.last() - 1), std::log(1e-40));
  }
}

TEST(IntegerNoise, ShiftMuIsNeverBelowItsDefinition) {
  for (const IntegerNoise& noise : laws) {
    const double found = IntegerTails(noise).shift_mu();
    const Exact exact = exact_shift_mu(exact_masses(noise, noise.sigma < 1 ? 40 : 300));
    EXPECT_GE(found, exact.convert_to<double>());
    EXPECT_LT(found, exact.convert_to<double>() * (1 + 1e-13) + 3e-14);
    // The largest difference is the first.
    const double centre = std::exp(IntegerTails(noise).log_mass(0));
    EXPECT_NEAR(found, 2 * std::sqrt(2.0) * boost::math::erf_inv(centre), 1e-12 * found + 3e-14);
  }
}

// mu1 times the standard deviation, about 1 + 1/(24 V) and 1 + 1/(6 V).
TEST(IntegerNoise, ShiftMuOfPublishedVariances) {
  const auto product = [](IntegerLaw law, double sigma) {
    return unit_shift_mu(IntegerNoise{law, sigma}) * sigma;
  };
  EXPECT_NEAR(product(gaussian, 2), 1.010651, 1e-6);
  EXPECT_NEAR(product(gaussian, 5), 1.001673, 1e-6);
  EXPECT_NEAR(product(gaussian, 10), 1.000417, 1e-6);
  EXPECT_NEAR(product(skellam, 2), 1.049678, 1e-6);
  EXPECT_NEAR(product(skellam, 5), 1.006816, 1e-6);
  EXPECT_NEAR(product(skellam, 10), 1.001676, 1e-6);
  EXPECT_NEAR(product(gaussian, 300), 1 + 1 / (24 * 9e4), 1e-10);
  EXPECT_NEAR(product(skellam, 300), 1 + 1 / (6 * 9e4), 1e-10);
}

TEST(IntegerNoise, TheBoundForLargeSigmaIsCloseAndAbove) {
  for (const double sigma : {1025.0, 4096.0}) {
    const double bound = unit_shift_mu(IntegerNoise{gaussian, sigma});
    const double scan = IntegerTails({gaussian, sigma}).shift_mu();
    EXPECT_GT(bound, scan);
    EXPECT_LT(bound, scan * (1 + 2.5 / sigma / sigma));
  }
  EXPECT_NEAR(unit_shift_mu(IntegerNoise{gaussian, 1e9}) * 1e9, 1, 1e-15);
}

// Differences z(j) - z(j-s) <= s mu1, so the Gaussian release of multiplier 1 / (mu1 s) has at
// least the delta of the noise shifted by s, which is the sum of the positive parts of P - e^eps Q.
double exact_delta(const IntegerTails& tails, std::int64_t s, double epsilon) {
  double sum = 0;
  for (auto k = s - tails.last(); k <= tails.last(); ++k)
    sum += std::max(0.0, std::exp(tails.log_mass(k - s)) - std::exp(epsilon + tails.log_mass(k)));
  return sum;
}

double gaussian_delta(double multiplier, double epsilon) {
  return std::exp(log_delta(
      gaussian_pair({Relation::zero_out, {{Sampling::none, 1, multiplier, 1}}}), epsilon));
}

TEST(IntegerNoise, TheCertificateBoundsExactDelta) {
  for (const IntegerNoise& noise : laws) {
    const IntegerTails tails(noise);
    const double mu = tails.shift_mu();
    for (const std::int64_t s : {1, 3})
      for (const double epsilon : {0.0, 0.1, 1.0, 3.0}) {
        const double exact = exact_delta(tails, s, epsilon);
        const double bound =
            gaussian_delta(gaussian_multiplier(mu, static_cast<double>(s)), epsilon);
        EXPECT_LE(exact, bound * (1 + 1e-12) + 1e-30) << noise.sigma << ' ' << s << ' ' << epsilon;
      }
    // At epsilon = 0 a unit shift attains it: P[X = 0] = 2 Phi(mu1 / 2) - 1.
    EXPECT_NEAR(exact_delta(tails, 1, 0), gaussian_delta(1 / mu, 0), 1e-12);
  }
}

// --- Exact compositions -----------------------------------------------------------------------

// A law of losses `step` * (first + i).
struct Losses {
  std::int64_t first;
  std::vector<double> mass;
};

// The sum of two independent losses of the law; masses further than `most` from 0 are not needed.
Losses twice(const Losses& law, std::int64_t most) {
  const auto size = static_cast<std::int64_t>(law.mass.size());
  const std::int64_t first = std::max(2 * law.first, -most);
  const std::int64_t last = std::min(2 * (law.first + size - 1), most);
  Losses sum{first, std::vector<double>(static_cast<std::size_t>(last - first + 1))};
  for (std::int64_t i = 0; i < size; ++i) {
    const double p = law.mass[static_cast<std::size_t>(i)];
    const std::int64_t low = std::max<std::int64_t>(0, first - 2 * law.first - i);
    const std::int64_t high = std::min(size - 1, last - 2 * law.first - i);
    double* const to = sum.mass.data() + (2 * law.first + i - first);
    if (p > 0)
      for (std::int64_t j = low; j <= high; ++j) to[j] += p * law.mass[static_cast<std::size_t>(j)];
  }
  return sum;
}

double epsilon_of(const Losses& law, double step, double offset, double delta) {
  const auto excess = [&](double epsilon) {
    double sum = 0;
    for (std::size_t i = 0; i < law.mass.size(); ++i) {
      const double loss =
          step * static_cast<double>(law.first + static_cast<std::int64_t>(i)) + offset;
      if (loss > epsilon) sum += law.mass[i] * -std::expm1(epsilon - loss);
    }
    return sum - delta;
  };
  return falling_root(excess, 1, 100, 1e-12).high;
}

double certified_epsilon(const IntegerNoise& noise, double norm, double delta) {
  const double multiplier = gaussian_multiplier(unit_shift_mu(noise), norm);
  return one_step_epsilon(
             {gaussian_pair({Relation::zero_out, {{Sampling::none, 1, multiplier, 1}}})}, delta)
      .high;
}

// Variance 100, delta = 1e-6, one coordinate shifted by 8.
TEST(IntegerNoise, EpsilonOfOneCoordinate) {
  const IntegerTails tails({gaussian, 10});
  const double exact =
      falling_root([&](double e) { return exact_delta(tails, 8, e) - 1e-6; }, 1, 100, 1e-12).high;
  EXPECT_NEAR(exact, 3.79913, 1e-5);
  EXPECT_NEAR(certified_epsilon({gaussian, 10}, 8, 1e-6), 3.79919, 1e-5);
}

// 64 coordinates shifted by 1. Losses of discrete Gaussian noise are (k - 1/2) / V on a lattice.
TEST(IntegerNoise, EpsilonOfManyCoordinatesOfDiscreteGaussianNoise) {
  const IntegerTails tails({gaussian, 10});
  Losses law{-tails.last(), {}};
  for (auto k = -tails.last(); k <= tails.last(); ++k)
    law.mass.push_back(std::exp(tails.log_mass(k)));
  for (int i = 0; i < 6; ++i) law = twice(law, 1000);
  const double exact = epsilon_of(law, 0.01, 64 * 0.005, 1e-6);
  EXPECT_NEAR(exact, 3.7974, 1e-4);
  const double certified = certified_epsilon({gaussian, 10}, 8, 1e-6);
  EXPECT_NEAR(certified, 3.79919, 1e-5);
  EXPECT_GT(certified, exact);
}

// Each mass is split between two points of a grid such that P and Q keep their sums, which gives an
// upper bound (Doroshenko et al. 2022, "connect the dots").
TEST(IntegerNoise, EpsilonOfManyCoordinatesOfSkellamNoise) {
  constexpr double step = 2e-3;
  const IntegerTails tails({skellam, 10});
  Losses law{-2000, std::vector<double>(4001)};
  for (auto k = 1 - tails.last(); k <= tails.last(); ++k) {
    const double log_p = tails.log_mass(k - 1);  // losses at k: the noise is shifted up by 1
    const double loss = log_p - tails.log_mass(k);
    const double below = std::floor(loss / step);
    const double up = std::expm1(step * below - loss) / std::expm1(-step);
    const auto i = static_cast<std::size_t>(below + 2000);
    law.mass.at(i + 1) += std::exp(log_p) * up;
    law.mass.at(i) += std::exp(log_p) * (1 - up);
  }
  for (int i = 0; i < 6; ++i) law = twice(law, 5000);
  const double exact = epsilon_of(law, step, 0, 1e-6);
  EXPECT_NEAR(exact, 3.7957, 5e-4);
  const double certified = certified_epsilon({skellam, 10}, 8, 1e-6);
  EXPECT_NEAR(certified, 3.80456, 1e-5);
  EXPECT_GT(certified, exact);
}

// The law of the test of google/differential-privacy: sigma 1, cut off beyond 1, shifted by 1.
TEST(IntegerNoise, LossesOfDiscreteGaussianNoiseThatIsCutOff) {
  const IntegerTails tails({gaussian, 1});
  const double centre = std::exp(tails.log_mass(0));
  const double side = std::exp(tails.log_mass(1));
  const double all = centre + 2 * side;
  EXPECT_NEAR(centre / all, 0.45186276, 1e-8);
  EXPECT_NEAR(side / all, 0.27406862, 1e-8);
  EXPECT_NEAR(tails.log_mass(0) - tails.log_mass(1), 0.5, 1e-15);
}

TEST(IntegerNoise, RemainderOfTheTails) {
  EXPECT_DOUBLE_EQ(tail_remainder(1e6, 0), 4e-34);
  EXPECT_DOUBLE_EQ(tail_remainder(1, std::log(3.0)), 8e-40);
}

TEST(IntegerNoise, RefusesSigmaOutOfRange) {
  for (const double sigma : {0.0, -1.0, 0.049, 0x1p18 + 1, std::nan("")}) {
    EXPECT_THROW(IntegerTails({gaussian, sigma}), std::invalid_argument) << sigma;
    EXPECT_THROW(unit_shift_mu(IntegerNoise{skellam, sigma}), std::invalid_argument) << sigma;
  }
  EXPECT_THROW(unit_shift_mu(IntegerNoise{gaussian, 0.01}), std::invalid_argument);
  EXPECT_THROW(IntegerTails({gaussian, 1}).log_tail(100), std::out_of_range);
}

}  // namespace trilemma::accounting::integer_noise_test
