// Calibrated noise, rounds and rate: on the safe side of the target, and close to it.

#include "privacy/accountant/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/accounting_cases.hpp"

namespace trilemma::accounting::calibrate_test {

using testing::fixed_size;
using testing::plain;
using testing::poisson;

struct Task {
  Composition composition;  ///< one round, sigma 1
  double target, delta;
};

std::vector<Task> tasks() {
  const Relation replace = Relation::replace_one;
  return {{poisson(0.01, 1, 1000), 1, 1e-5},        {poisson(1e-4, 1, 1e5), 0.1, 1e-8},
          {poisson(1e-3, 1, 1e4), 8, 1e-9},         {poisson(0.25, 1, 500), 1, 1e-30},
          {poisson(0.5, 1, 20), 20, 1e-5},          {poisson(0.02, 1, 1), 0.5, 1e-6},
          {poisson(0.1, 1, 100, replace), 2, 1e-6}, {plain(1, 300), 1, 1e-5},
          {plain(1, 1, replace), 0.01, 1e-9},       {fixed_size(0.05, 1, 100), 3, 1e-6}};
}

std::string text(const Task& task) {
  return sentence(task.composition) + ", epsilon " + shown(task.target);
}
Composition with_noise(Composition composition, double factor) {
  for (auto& c : composition.components) c.sigma *= factor;
  return composition;
}

TEST(Calibrate, NoiseIsEnoughAndNoMore) {
  for (const Task& task : tasks()) {
    SCOPED_TRACE(text(task));
    const Result result = calibrate_noise(task.composition, task.target, task.delta);
    EXPECT_LE(epsilon(with_noise(task.composition, result.value), task.delta).value, task.target);
    EXPECT_GT(epsilon(with_noise(task.composition, 0.998 * result.value), task.delta).value,
              task.target);
    EXPECT_EQ(result.upper, result.value);
    EXPECT_LE(result.lower, result.value);
    EXPECT_LE(result.evaluations, 20);
    // What is said to be too little noise is too little.
    if (result.lower > 0) {
      EXPECT_GT(epsilon(with_noise(task.composition, result.lower), task.delta).lower, task.target);
    }
  }
}

TEST(Calibrate, NoiseByEveryMethod) {
  for (const Method method : {Method::pld, Method::rdp, Method::gaussian}) {
    Options options;
    options.method = method;
    const Composition c =
        method == Method::gaussian ? plain(1, 50) : poisson(0.02, 1, 500, Relation::replace_one);
    const Result result = calibrate_noise(c, 2, 1e-6, options);
    EXPECT_LE(epsilon(with_noise(c, result.value), 1e-6, options).value, 2) << name(method);
    EXPECT_GT(epsilon(with_noise(c, 0.998 * result.value), 1e-6, options).value, 2);
  }
}

// A factor on several noises at once.
TEST(Calibrate, NoiseOfAMixture) {
  Composition c = poisson(0.1, 2, 50);
  c.components.push_back({Sampling::none, 1, 10, 1});
  const Result result = calibrate_noise(c, 0.5, 1e-6);
  EXPECT_LE(epsilon(with_noise(c, result.value), 1e-6).value, 0.5);
  EXPECT_GT(epsilon(with_noise(c, 0.998 * result.value), 1e-6).lower, 0.5);
  EXPECT_EQ(calibrate_noise(poisson(0, 1, 10), 1, 1e-5).value, 0);
}

TEST(Calibrate, OneMoreRoundIsTooMuch) {
  const Task rounds[] = {{poisson(0.01, 1, 1), 1, 1e-5},
                         {poisson(0.2, 4, 1), 3, 1e-6},
                         {poisson(0.05, 2, 5, Relation::replace_one), 2, 1e-9},
                         {plain(20, 1), 1, 1e-5},
                         {fixed_size(0.05, 4, 1), 1, 1e-5}};
  for (const Task& task : rounds) {
    SCOPED_TRACE(text(task));
    const Result result = calibrate_rounds(task.composition, task.target, task.delta);
    ASSERT_GT(result.value, 1);
    auto spent = [&](double times) {
      Composition c = task.composition;
      for (auto& part : c.components) part.steps *= times;
      return epsilon(c, task.delta).value;
    };
    EXPECT_LE(spent(result.value), task.target);
    EXPECT_GT(spent(result.value + 1), task.target);
    EXPECT_EQ(result.lower, result.value);
    EXPECT_GE(result.upper, result.value);
  }
  EXPECT_EQ(calibrate_rounds(plain(0.5, 1), 1, 1e-5).value, 0);
}

TEST(Calibrate, RateIsSafeAndTight) {
  const Task rates[] = {{poisson(1, 1, 1000), 1, 1e-5},
                        {poisson(1, 2, 1e4), 2, 1e-9},
                        {poisson(1, 4, 50, Relation::replace_one), 1, 1e-6},
                        {fixed_size(1, 4, 100), 1, 1e-6}};
  for (Task task : rates) {
    for (auto& part : task.composition.components)
      if (part.sampling == Sampling::none) part.sampling = Sampling::poisson;
    SCOPED_TRACE(text(task));
    const Result result = calibrate_rate(task.composition, task.target, task.delta);
    auto spent = [&](double rate) {
      Composition c = task.composition;
      for (auto& part : c.components) part.rate = rate;
      return epsilon(c, task.delta).value;
    };
    ASSERT_GT(result.value, 0);
    ASSERT_LT(result.value, 1);
    EXPECT_LE(spent(result.value), task.target);
    EXPECT_GT(spent(1.002 * result.value), task.target);
    EXPECT_EQ(result.lower, result.value);
    EXPECT_GE(result.upper, result.value);
  }
  // Little enough is asked for all units to be used.
  Composition quiet = plain(100, 1);
  quiet.components[0].sampling = Sampling::poisson;
  EXPECT_EQ(calibrate_rate(quiet, 1, 1e-5).value, 1);
}

// Spec 2.6: the noise that is needed, to the digits printed there.
TEST(Calibrate, NoiseNeededByTheSpec) {
  const double rows[][4] = {
      {0.01, 1000, 0.5, 2.382}, {0.01, 1000, 1, 1.415}, {0.01, 1000, 8, 0.586},
      {0.1, 100, 1, 3.942},     {0.1, 1000, 8, 2.051},  {0.25, 300, 1, 16.24},
      {0.25, 300, 8, 2.732},    {1, 300, 1, 64.62},     {1, 300, 8, 10.40}};
  for (const auto& [q, t, target, wanted] : rows) {
    const Result result = calibrate_noise(poisson(q, 1, t), target, 1e-5);
    EXPECT_NEAR(result.value, wanted, wanted > 10 ? 5e-3 + 3e-4 * wanted : 5e-4 + 3e-4 * wanted);
  }
}

}  // namespace trilemma::accounting::calibrate_test
