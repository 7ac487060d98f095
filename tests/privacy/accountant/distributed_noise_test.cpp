// Noise in shares and the choice of scale (src/privacy/accountant/distributed_noise.hpp) against
// exact convolutions, published parameters and values that are checked by hand.

#include "privacy/accountant/distributed_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privacy/accountant/accountant.hpp"
#include "privacy/accountant/calibrate.hpp"

namespace trilemma::accounting::distributed_noise_test {

constexpr auto gaussian = IntegerLaw::discrete_gaussian;
constexpr auto skellam = IntegerLaw::skellam;

// The law of the sum of `shares` numbers, from 0 on by symmetry.
std::vector<double> law_of_sum(const IntegerNoise& share, int shares) {
  const IntegerTails tails(share);
  std::vector<double> one;
  for (auto k = -tails.last(); k <= tails.last(); ++k) one.push_back(std::exp(tails.log_mass(k)));
  std::vector<double> law = one;
  for (int i = 1; i < shares; ++i) {
    std::vector<double> sum(law.size() + one.size() - 1);
    for (std::size_t k = 0; k < law.size(); ++k)
      for (std::size_t j = 0; j < one.size(); ++j) sum[k + j] += law[k] * one[j];
    law = sum;
  }
  law.erase(law.begin(), law.begin() + static_cast<std::ptrdiff_t>(law.size() / 2));
  return law;
}

// Largest |log ratio| of the law of the sum and the law with its parameter.
double distance_of_sum(IntegerLaw law, double share, int shares) {
  const auto sum = law_of_sum({law, share}, shares);
  const IntegerTails tails({law, share * std::sqrt(shares)});
  double most = 0;
  for (std::size_t k = 0; k < sum.size() && sum[k] > 1e-10; ++k)
    most = std::max(most, std::abs(std::log(sum[k]) - tails.log_mass(static_cast<long>(k))));
  return most;
}

// n = 2: 10 exp(-pi^2 sigma^2) for the share; n = 3 adds 10 exp(-4 pi^2 sigma^2 / 3).
TEST(SharedNoise, TauByHand) {
  const double square = M_PI * M_PI;
  EXPECT_DOUBLE_EQ(share_distance({gaussian, 1.5, 1}), 0);
  EXPECT_NEAR(share_distance({gaussian, std::sqrt(2.0), 2}), 10 * std::exp(-square), 1e-17);
  EXPECT_NEAR(share_distance({gaussian, std::sqrt(3.0), 3}),
              10 * (std::exp(-square) + std::exp(-4 * square / 3)), 1e-17);
  EXPECT_NEAR(share_distance({gaussian, 7, 100}), 0.191, 5e-4);
  EXPECT_NEAR(share_distance({gaussian, 10, 100}), 5.5e-4, 5e-6);
  EXPECT_EQ(share_distance({skellam, 1, 100}), 0);
  // Beyond 10^5 terms the sum is bounded: n - 1 terms of at least exp(-2 pi^2 sigma^2).
  const double many = share_distance({gaussian, 1e3, 1e6});
  EXPECT_GE(many, 1e7 * std::exp(-2 * square));
  EXPECT_LE(many, 1.0003e7 * std::exp(-2 * square) + 6e-4);
}

// The log-ratio of the laws of 100 shares is below tau: .0248 against .191, and 1.2e-6 against
// 5.5e-4.
TEST(SharedNoise, TauBoundsTheExactSum) {
  for (const double share : {0.7, 0.8, 1.0}) {
    const double exact = distance_of_sum(gaussian, share, 100);
    EXPECT_LE(exact, share_distance({gaussian, 10 * share, 100})) << share;
  }
  EXPECT_NEAR(distance_of_sum(gaussian, 0.7, 100), 0.0248, 1e-3);
  EXPECT_NEAR(distance_of_sum(gaussian, 1.0, 100), 1.2e-6, 5e-8);
  EXPECT_LT(distance_of_sum(skellam, 0.3, 100), 1e-12);
}

// A sum of 64 shares of sigma 0.5 has variance 64 * .2150, not 64 / 4.
TEST(SharedNoise, SumsOfNarrowSharesAreNarrower) {
  const auto law = law_of_sum({gaussian, 0.5}, 64);
  double variance = 0;
  for (std::size_t k = 1; k < law.size(); ++k) variance += 2 * static_cast<double>(k * k) * law[k];
  EXPECT_NEAR(variance / 64, 0.2150, 1e-4);
  EXPECT_THROW(unit_shift_mu(SharedNoise{gaussian, 8 * 0.5, 64}), UnsupportedClaim);
  EXPECT_THROW(unit_shift_mu(SharedNoise{gaussian, 8 * 0.95, 64}), UnsupportedClaim);
  EXPECT_NO_THROW(unit_shift_mu(SharedNoise{gaussian, 8 * 1.0, 64}));
  EXPECT_NO_THROW(unit_shift_mu(SharedNoise{skellam, 8 * 0.5, 64}));
}

TEST(SharedNoise, ShiftMuOfSums) {
  const double tau = share_distance({gaussian, 8, 64});
  EXPECT_GT(tau, 1e-4);
  EXPECT_DOUBLE_EQ(unit_shift_mu(SharedNoise{gaussian, 8, 64}),
                   unit_shift_mu(IntegerNoise{gaussian, 8}) + 2.51 * tau);
  EXPECT_EQ(unit_shift_mu(SharedNoise{skellam, 8, 64}), unit_shift_mu(IntegerNoise{skellam, 8}));
  // At epsilon = 0 a unit shift has delta = P[sum = 0] = 2 Phi(mu/2) - 1 = erf(mu / sqrt(8)).
  const double centre = law_of_sum({gaussian, 1}, 64)[0];
  EXPECT_LE(centre, std::erf(unit_shift_mu(SharedNoise{gaussian, 8, 64}) / std::sqrt(8.0)));
}

// D = 8, d = 64, V = 100, n = 1: a D^2 / (2V) = .32 a; Skellam: D1 = 64, so the second term is the
// smaller of (64 (2a - 1) + 384) / 40000 and .96.
TEST(PublishedRenyi, ByHand) {
  const SharedRelease plain{{gaussian, 10, 1}, 8, 64};
  EXPECT_DOUBLE_EQ(published_renyi(plain, 5), 1.6);
  EXPECT_DOUBLE_EQ(published_renyi({{skellam, 10, 1}, 8, 64}, 5), 1.6 + 960.0 / 40000);
  EXPECT_DOUBLE_EQ(published_renyi({{skellam, 10, 1}, 8, 64}, 400), 128 + 0.96);
  EXPECT_THROW(published_renyi({{skellam, 10, 1}, 8, 64}, 2.5), std::invalid_argument);
  EXPECT_NEAR(published_epsilon(plain, 1, 1e-6), 4.0641, 1e-4);
  EXPECT_NEAR(published_epsilon({{skellam, 10, 1}, 8, 64}, 1, 1e-6), 4.0945, 1e-4);
  // Four releases of half the sensitivity: 4 a (D/2)^2 / (2V).
  EXPECT_NEAR(published_epsilon({{gaussian, 10, 1}, 4, 64}, 4, 1e-6), 4.0641, 1e-4);
}

// The two terms with tau = 10 exp(-pi^2 / 2) and V = 1, each the smaller one somewhere; the third
// one of the paper never is.
TEST(PublishedRenyi, SmallerOfTwo) {
  const auto divergence = [](double sensitivity, double dimension, double order) {
    return published_renyi({{gaussian, 1, 2}, sensitivity, dimension}, order);
  };
  const double tau = 10 * std::exp(-M_PI * M_PI / 2);
  EXPECT_DOUBLE_EQ(divergence(1, 1, 2), 1 + tau);
  EXPECT_DOUBLE_EQ(divergence(4, 4, 1.01), 0.505 * 16 + 4 * tau);
  EXPECT_DOUBLE_EQ(divergence(1, 9, 1.01), 0.505 * (1 + 2 * tau + 9 * tau * tau));
  EXPECT_DOUBLE_EQ(divergence(2, 900, 1.01), 0.505 * (4 + 8 * tau + 900 * tau * tau));
}

// Granularity and share of the noise as the public code calibrates them, with 100 clients, d = 256,
// C = 10, delta = 1e-5: its epsilon is the target.
TEST(PublishedRenyi, ParametersOfThePublicCode) {
  struct Row {
    double granularity, share, epsilon;
  };
  for (const auto& [granularity, share, epsilon] :
       {Row{0.294801, 4.22748, 1}, {0.00454437, 4.04633, 1}, {0.0620835, 1.16296, 4}}) {
    const double b = std::sqrt(static_cast<double>(rounding_bound(10 / granularity, 256)));
    const SharedRelease release{{gaussian, 10 * share / granularity, 100}, b, 256};
    EXPECT_NEAR(published_epsilon(release, 1, 1e-5), epsilon, 3e-4 * epsilon);
  }
}

// d = 4: min((3 + 2)^2, 9 + 1 + 3 + 1) = 14; d = 1: min(1.01^2, .0001 + .25 + .01 + .5) -> 0, at
// least 1; d = 10^6, norm 10^4: min(1.21e8, 1e8 + 2.5e5 + 1e4 + 500).
TEST(RoundingBound, ByHand) {
  EXPECT_EQ(rounding_bound(3, 4), 14);
  EXPECT_EQ(rounding_bound(0.5, 4), 2);  // min(6.25, .25 + 1 + .5 + 1)
  EXPECT_EQ(rounding_bound(0.01, 1), 1);
  EXPECT_EQ(rounding_bound(1e4, 1e6), 100260500);
  EXPECT_THROW(rounding_bound(3e9, 1), std::invalid_argument);
}

DistributedTask published_task(double epsilon, int bits) {
  DistributedTask task;
  task.clients = 100;
  task.dimension = 256;
  task.norm = 10;
  task.bits = bits;
  task.wrap = 2;
  task.multiplier =
      calibrate_noise({Relation::zero_out, {{Sampling::none, 1, 1, 1}}}, epsilon, 1e-5).value;
  return task;
}

TEST(DistributedNoise, PublishedChoices) {
  struct Row {
    double epsilon;
    int bits;
    double scale, b, sigma, error;
  };
  for (const auto& row : {Row{1, 10, 3.47631, 36.266, 135.296, 0.15168},
                          {1, 16, 225.080, 2251.32, 8398.84, 0.13924},
                          {4, 12, 16.1419, 162.141, 175.301, 0.011803}}) {
    const auto found = distributed_noise(published_task(row.epsilon, row.bits));
    EXPECT_NEAR(found.scale, row.scale, 1e-4 * row.scale);
    EXPECT_NEAR(std::sqrt(static_cast<double>(found.bound_squared)), row.b, 1e-4 * row.b);
    EXPECT_NEAR(found.sigma, row.sigma, 1e-4 * row.sigma);
    EXPECT_DOUBLE_EQ(found.share_sigma, found.sigma / 10);
    EXPECT_NEAR(found.error / 256, row.error, 3e-4 * row.error);
  }
}

// With many bits rounding costs nothing: the error tends to that of the Gaussian mechanism.
TEST(DistributedNoise, ErrorTendsToThatOfGaussianNoise) {
  auto task = published_task(1, 28);
  const double gaussian_error = std::pow(task.multiplier * task.norm / task.clients, 2);
  EXPECT_NEAR(gaussian_error, 0.139176, 2e-6);
  for (const auto law : {gaussian, skellam}) {
    task.law = law;
    task.bits = law == gaussian ? 28 : 18;
    EXPECT_NEAR(distributed_noise(task).error / 256, gaussian_error, 2e-5);
  }
}

// The claim: a Gaussian release with the multiplier of the noise costs at most the target, the
// noise is not larger than needed, and the standard deviations fill the range.
TEST(DistributedNoise, NoiseIsSufficientAndNotTooLarge) {
  for (const auto law : {gaussian, skellam})
    for (const auto relation : {Relation::zero_out, Relation::replace_one})
      for (const double steps : {1.0, 50.0}) {
        DistributedTask task = published_task(1, 14);
        task.law = law;
        Composition rounds{relation, {{Sampling::none, 1, 1, steps}}};
        task.multiplier = calibrate_noise(rounds, 2, 1e-6).value;
        const auto found = distributed_noise(task);
        const double b = std::sqrt(static_cast<double>(found.bound_squared));
        rounds.components[0].sigma = gaussian_multiplier(found.shift_mu, b);
        EXPECT_LE(epsilon(rounds, 1e-6).value, 2);
        EXPECT_GT(epsilon(rounds, 1e-6).value, 2 * (1 - 1e-5));
        EXPECT_GE(found.shift_mu, unit_shift_mu(SharedNoise{law, found.sigma, 100}));
        const double sum = found.scale * 10 * 100;
        // B^2 grows in steps of 1, so the range need not be filled to the last digit.
        const double filled = 2 * std::sqrt(sum * sum / 256 + 25 + found.sigma * found.sigma);
        EXPECT_LE(filled, 8192 * (1 + 3e-6));
        EXPECT_GT(filled, 8192 * (1 - 1e-4));
      }
}

// k = 6.34: 2 d exp(-k^2 / 2) = 1e-6 at d = 256. Tails of Skellam noise are heavier, by a factor of
// about exp(k^4 / (24 V)) where the noise is most of the sum: here V is about 1500.
TEST(DistributedNoise, ProbabilityOfWraps) {
  auto task = published_task(1, 16);
  task.wrap = 6.34;
  const double bound = 512 * std::exp(-6.34 * 6.34 / 2);
  EXPECT_NEAR(bound, 1e-6, 5e-8);
  EXPECT_NEAR(distributed_noise(task).wrap_probability, bound, 1e-4 * bound);
  task.clients = 1;
  task.bits = 9;
  for (const auto law : {gaussian, skellam}) {
    task.law = law;
    const auto found = distributed_noise(task);
    const double sum = found.scale * 10;
    const double k = 256 / std::sqrt(sum * sum / 256 + 0.25 + found.sigma * found.sigma);
    const double ratio = found.wrap_probability / (512 * std::exp(-k * k / 2));
    EXPECT_NEAR(ratio, law == gaussian ? 1 : std::exp(std::pow(k, 4) / 24 / 1500), 0.01);
    EXPECT_TRUE(law == gaussian || ratio > 1.02) << ratio;
  }
  task.wrap = 2;
  EXPECT_EQ(distributed_noise(task).wrap_probability, 1);
}

// With rho = 4 a coordinate of the sum may be twice as large.
TEST(DistributedNoise, FlatnessReducesTheScale) {
  auto task = published_task(1, 10);
  const double flat = distributed_noise(task).scale;
  task.flatness = 4;
  const auto found = distributed_noise(task);
  EXPECT_LT(found.scale, 0.7 * flat);
  const double sum = found.scale * 10 * 100;
  EXPECT_NEAR(2 * std::sqrt(4 * sum * sum / 256 + 25 + found.sigma * found.sigma), 512, 0.1);
}

TEST(DistributedNoise, Refusals) {
  const auto refused = [](auto change) {
    DistributedTask task = published_task(1, 16);
    change(task);
    EXPECT_THROW(distributed_noise(task), std::invalid_argument);
  };
  refused([](auto& t) { t.bits = 0; });
  refused([](auto& t) { t.bits = 33; });
  refused([](auto& t) { t.norm = 0; });
  refused([](auto& t) { t.wrap = -1; });
  refused([](auto& t) { t.multiplier = std::nan(""); });
  refused([](auto& t) { t.flatness = 0.5; });
  refused([](auto& t) { t.clients = 0; });
  refused([](auto& t) { t.dimension = 0; });
  refused([](auto& t) { t.bits = 4; });  // n >= 4^b / k^2: rounding alone fills the range
  // Much noise for each client is rounded away, so that a share has sigma < 1: no theorem.
  DistributedTask task = published_task(4, 7);
  task.clients = 200;
  EXPECT_THROW(distributed_noise(task), UnsupportedClaim);
  task.law = skellam;
  EXPECT_NO_THROW(distributed_noise(task));
}

}  // namespace trilemma::accounting::distributed_noise_test
