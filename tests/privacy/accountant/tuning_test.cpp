// What choosing among runs costs (src/privacy/accountant/tuning.hpp): the theorems of Papernot and
// Steinke 2022 against values by hand, limits, and a mechanism whose best of K is known exactly.

#include "privacy/accountant/tuning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::tuning_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

Runs best_of(double mean, double eta) { return {Count::negative_binomial, mean, eta}; }
Runs poisson_runs(double mean) { return {Count::poisson, mean, 0}; }
Runs all_of(double runs) { return {Count::composition, runs, 0}; }

double conversion(double a, double delta) {
  return std::log1p(-1 / a) - (std::log(delta) + std::log(a)) / (a - 1);
}

// By hand from definition 1: 1/0.25; 9/log 10; 0.5 0.9/(0.1 (1 - sqrt 0.1)); the same for -0.5.
TEST(NumberOfRuns, Mean) {
  EXPECT_NEAR(mean_of(1, 0.25), 4, 1e-14);
  EXPECT_NEAR(mean_of(0, 0.1), 3.9086503371292665, 1e-13);
  EXPECT_NEAR(mean_of(0.5, 0.1), 6.5811388300841898, 1e-13);
  EXPECT_NEAR(mean_of(-0.5, 0.1), 2.0811388300841898, 1e-13);
  EXPECT_EQ(mean_of(0.5, 1), 1);
}

TEST(NumberOfRuns, MeanIsThatOfTheLaw) {
  for (const double eta : {-0.5, 0.0, 0.7, 1.0, 3.0}) {
    const double gamma = 0.2;
    // P[K = k] by ratios: P[k+1]/P[k] = (1-gamma)(k + eta)/(k + 1), from P[1] = 1.
    double mass = 1;
    double total = 0;
    double first = 0;
    for (int k = 1; k < 1000; ++k) {
      total += mass;
      first += k * mass;
      mass *= (1 - gamma) * (k + eta) / (k + 1);
    }
    EXPECT_NEAR(mean_of(eta, gamma), first / total, 1e-10) << eta;
  }
}

TEST(NumberOfRuns, GammaFollowsFromTheMean) {
  for (const double eta : {-0.9, -0.5, 0.0, 0.5, 1.0, 5.0})
    for (const double mean : {1.0, 1.001, 10.0, 1e6}) {
      const double gamma = gamma_of(eta, mean);
      EXPECT_NEAR(mean_of(eta, gamma), mean, 1e-9 * mean) << eta;
      EXPECT_LE(gamma, 1);
    }
}

// Of T Gaussian releases eps(a) = a rho with rho = T/(2 z^2), so the minimum over b lies at
// sqrt(log(1/gamma)/rho), or at 1.
TEST(Tuning, TheoremTwoForGaussians) {
  for (const double sigma : {2.0, 0.3})
    for (const double eta : {-0.5, 0.0, 1.0}) {
      const double steps = 5;
      const double rho = steps / (2 * sigma * sigma);
      const double mean = 10;
      const double log_inverse = -std::log(gamma_of(eta, mean));
      const double choice =
          log_inverse > rho ? 2 * std::sqrt(log_inverse * rho) - rho : log_inverse;
      double wanted = 1e300;
      for (double a = 1.0005; a < 200; a += 0.0005)
        wanted = std::min(wanted, a * rho + std::log(mean) / (a - 1) + conversion(a, 1e-6));
      wanted += (1 + eta) * choice;
      const Result found = tuning_epsilon(plain(sigma, steps), 1e-6, best_of(mean, eta));
      EXPECT_NEAR(found.value, wanted, 2e-6 * wanted) << sigma << " " << eta;
      EXPECT_EQ(found.method, "rdp");
    }
}

TEST(Tuning, TheoremSixForGaussians) {
  for (const double sigma : {5.0, 2.0, 0.8}) {
    const double rho = 1 / (2 * sigma * sigma);
    const double mean = 20;
    double wanted = 1e300;
    for (const double a : refined_orders()) {
      const double single = delta(plain(sigma, 1), std::log(a / (a - 1))).value;
      wanted = std::min(wanted,
                        a * rho + mean * single + std::log(mean) / (a - 1) + conversion(a, 1e-6));
    }
    const Result found = tuning_epsilon(plain(sigma, 1), 1e-6, poisson_runs(mean));
    EXPECT_NEAR(found.value, wanted, 1e-9 * wanted) << sigma;
    Options rough;
    rough.method = Method::rdp;
    EXPECT_GT(tuning_epsilon(plain(sigma, 1), 1e-6, poisson_runs(mean), rough).value, wanted);
  }
}

TEST(Tuning, OneRunIsThatRun) {
  const Composition run = poisson(0.01, 1.1, 1000);
  EXPECT_EQ(tuning_epsilon(run, 1e-5, best_of(1, 1)).value, epsilon(run, 1e-5).value);
  EXPECT_EQ(tuning_epsilon(run, 1e-5, all_of(1)).value, epsilon(run, 1e-5).value);
  // A second run that hardly ever happens hardly costs: the Renyi bound of one is left.
  const double single = renyi_epsilon(run, 1e-5, Orders::refined).value;
  for (const double eta : {-0.5, 0.0, 1.0})
    EXPECT_NEAR(tuning_epsilon(run, 1e-5, best_of(1 + 1e-9, eta)).value, single, 1e-6);
}

TEST(Tuning, AllRunsPublishedAreOneComposition) {
  const Composition run = poisson(0.01, 1.1, 100);
  EXPECT_EQ(tuning_epsilon(run, 1e-5, all_of(36)).value,
            epsilon(poisson(0.01, 1.1, 3600), 1e-5).value);
}

TEST(Tuning, RisesWithTheNumberOfRuns) {
  const Composition run = poisson(0.01, 1.1, 1000);
  const double single = epsilon(run, 1e-5).value;
  for (const auto make : {+[](double mean) { return best_of(mean, 1); },
                          +[](double mean) { return best_of(mean, 0); },
                          +[](double mean) { return best_of(mean, -0.5); }, +poisson_runs}) {
    double last = single;
    for (const double mean : {1.5, 3.0, 10.0, 100.0, 1e4}) {
      const double found = tuning_epsilon(run, 1e-5, make(mean)).value;
      EXPECT_GT(found, last);
      last = found;
    }
  }
  EXPECT_LT(tuning_epsilon(run, 1e-5, best_of(36, 0)).value,
            tuning_epsilon(run, 1e-5, best_of(36, 1)).value);
}

// A release of N(shift, z^2), the best of K being the largest: with G the generating function of K
// and F the distribution of a release, its density is G'(F(x)) F'(x), and nothing is released with
// probability P[K = 0], whatever the data.
class LargestOfSome {
 public:
  LargestOfSome(const Runs& runs, double sigma) : runs_(runs), sigma_(sigma) {
    if (runs.count == Count::negative_binomial) gamma_ = gamma_of(runs.eta, runs.mean);
  }

  double delta(double epsilon, double from, double to) const {
    double sum = 0;
    const double step = sigma_ / 400;
    for (double x = -12 * sigma_ - 1; x < 12 * sigma_ + 1; x += step)
      sum += std::max(0.0, density(x, from) - std::exp(epsilon) * density(x, to)) * step;
    return sum;
  }

 private:
  double density(double x, double shift) const {
    const double u = (x - shift) / sigma_;
    const double below = 0.5 * std::erfc(-u / std::numbers::sqrt2);
    const double single = std::exp(-0.5 * u * u) / (sigma_ * std::sqrt(2 * std::numbers::pi));
    return derivative(below) * single;
  }
  double derivative(double s) const {
    if (runs_.count == Count::poisson) return runs_.mean * std::exp(runs_.mean * (s - 1));
    const double rest = 1 - (1 - gamma_) * s;
    if (runs_.eta == 0) return (1 - gamma_) / rest / -std::log(gamma_);
    return runs_.eta * (1 - gamma_) * std::pow(rest, -runs_.eta - 1) /
           (std::pow(gamma_, -runs_.eta) - 1);
  }

  Runs runs_;
  double sigma_, gamma_ = 1;
};

TEST(Tuning, CoversTheExactCostOfTheLargest) {
  const double target = 1e-4;
  for (const double sigma : {4.0, 1.0})
    for (const Runs& runs : {best_of(5, 1), best_of(30, 0), best_of(10, -0.5), best_of(8, 3),
                             poisson_runs(5), poisson_runs(40)}) {
      SCOPED_TRACE(shown(sigma) + " " + shown(runs.mean) + " " + shown(runs.eta));
      const double bound = tuning_epsilon(plain(sigma, 1), target, runs).value;
      const LargestOfSome largest(runs, sigma);
      EXPECT_LE(largest.delta(bound, 0, 1), target);
      EXPECT_LE(largest.delta(bound, 1, 0), target);
      // What a single run is accounted for does not cover it.
      const double single = epsilon(plain(sigma, 1), target).value;
      EXPECT_GT(std::max(largest.delta(single, 0, 1), largest.delta(single, 1, 0)), target);
    }
}

TEST(Tuning, NoiseThatPaysForChoosing) {
  const Composition run = poisson(0.01, 1, 500);
  for (const Runs& runs : {best_of(36, 1), best_of(36, 0), poisson_runs(10), all_of(4)}) {
    const double factor = calibrate_tuning(run, 2, 1e-5, runs).value;
    EXPECT_LE(tuning_epsilon(poisson(0.01, factor, 500), 1e-5, runs).value, 2);
    EXPECT_GT(tuning_epsilon(poisson(0.01, 0.999 * factor, 500), 1e-5, runs).value, 2);
  }
}

TEST(Tuning, EdgesAndOtherSampling) {
  EXPECT_EQ(tuning_epsilon(poisson(0, 1, 10), 1e-5, best_of(5, 1)).value, 0);
  EXPECT_EQ(tuning_epsilon(plain(1, 10), 0, best_of(5, 1)).status, Status::unbounded);
  EXPECT_EQ(tuning_epsilon(plain(0.05, 10), 1e-5, best_of(5, 1)).status,
            Status::no_meaningful_privacy);
  const Composition fixed = fixed_size(0.02, 4, 100);
  EXPECT_GT(tuning_epsilon(fixed, 1e-5, best_of(5, 1)).value, epsilon(fixed, 1e-5).value);
  EXPECT_GT(tuning_epsilon(fixed, 1e-5, poisson_runs(5)).value, epsilon(fixed, 1e-5).value);
}

TEST(Tuning, Refusals) {
  const Composition run = poisson(0.01, 1, 10);
  auto refuses = [&run](const Runs& runs, const std::string& words, const Options& options = {}) {
    try {
      tuning_epsilon(run, 1e-5, runs, options);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      return;
    }
    ADD_FAILURE() << words;
  };
  refuses(best_of(0.5, 1), "runs = 0.5: must be a number from 1 to 1e9");
  refuses(best_of(std::nan(""), 1), "runs = nan");
  refuses(best_of(5, -1), "eta = -1: must be a number above -1");
  refuses(all_of(2.5), "runs = 2.5: must be a whole number");
  Options by_pld;
  by_pld.method = Method::pld;
  refuses(best_of(5, 1), "choosing among runs", by_pld);
}

}  // namespace trilemma::accounting::tuning_test
