// What every row of estimators() must keep (src/local/estimator.hpp): unbiased, a function of its
// key, clients apart from each other, and the declared sensitivity (spec algorithms.md 1.3
// and 6.3).

#include "tests/support/estimators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/statistics.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::estimators_test {

constexpr double threshold = 0.3;
constexpr std::size_t records = 12;
constexpr std::size_t batch = 4;

struct Kind {
  std::string estimator, problem;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& row : estimators())
    for (const char* problem :
         {"logistic", "network", "images", "deep", "softmax", "cnn", "layers"})
      all.push_back({row.name, problem});
  return all;
}

class EveryEstimator : public ::testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<LocalWork> make(Sampler& sampler, const testing::Case& on) {
    auto made = testing::make_estimator(GetParam().estimator, on, sampler,
                                        {.batch = batch, .threshold = threshold});
    made->start(w_);
    return made;
  }

  testing::Case on_ = testing::make_case(GetParam().problem, 3, records, 5, 8);
  Vector w_ = testing::random_vector(on_.problem->dimension(), 1, 0.7);
  Vector x_ = testing::random_vector(on_.problem->dimension(), 2, 0.7);
};

// Five standard errors in every coordinate; at most 35 of them: fails with probability 2e-5.
TEST_P(EveryEstimator, IsUnbiasedUnderEverySampling) {
  auto gradient = testing::mean_gradient(*on_.problem, on_.shards[0], x_, threshold);
  const auto slope = testing::regulariser_gradient(*on_.problem, x_);
  for (const auto& row : samplers()) {
    const auto sampler = row.make();
    if (sampler->shuffles()) continue;  // for local steps
    std::vector<testing::Sample> coordinate(x_.size());
    for (std::uint32_t round = 0; round < 2000; ++round) {
      const Vector out = testing::estimate(*make(*sampler, on_), x_, round);
      for (std::size_t j = 0; j < out.size(); ++j) coordinate[j].add(out[j]);
    }
    for (std::size_t j = 0; j < x_.size(); ++j)
      testing::expect_mean(coordinate[j], gradient[j] + slope[j], 20 * testing::rounding);
  }
}

TEST_P(EveryEstimator, IsAFunctionOfItsKeyAndReportsTheRecordsDrawn) {
  const auto sampler = testing::make_sampler("poisson");
  for (std::uint32_t round = 0; round < 10; ++round) {
    const Key key{31, Purpose::minibatch, 0, round};
    Vector first(x_.size());
    Vector again(x_.size());
    const std::size_t drawn = make(*sampler, on_)->estimate(0, {x_, key}, first);
    make(*sampler, on_)->estimate(0, {x_, key}, again);
    EXPECT_EQ(first, again);
    std::vector<std::uint32_t> rows;
    sampler->draw(key, records, batch, rows);
    const bool uses = testing::estimator_kind(GetParam().estimator).uses_batch;
    EXPECT_EQ(drawn, uses ? rows.size() : records);
  }
}

// The clients of a process are worked on one after the other; none may see another's state.
TEST_P(EveryEstimator, ClientsDoNotDisturbEachOther) {
  const auto sampler = testing::make_sampler("poisson");
  const auto together = make(*sampler, on_);
  const auto alone = make(*sampler, on_);
  for (std::uint32_t round = 0; round < 8; ++round) {
    const Vector x = testing::random_vector(x_.size(), 50 + round, 0.7);
    const Vector second = testing::estimate(*together, x, round, 1);
    testing::estimate(*together, x, round, 2);
    testing::estimate(*together, x, round, 0);
    EXPECT_EQ(testing::estimate(*alone, x, round, 1), second);
    together->finish_round(x, {1, Purpose::coin, 0, round});
    alone->finish_round(x, {1, Purpose::coin, 0, round});
  }
}

// One record more or less in the minibatch moves the estimate by no more than is declared.
TEST_P(EveryEstimator, KeepsItsSampledSensitivity) {
  const auto& kind = testing::estimator_kind(GetParam().estimator);
  const double declared = kind.sensitivity(threshold, batch, records).sampled;
  testing::ScriptedSampler sampler;
  sampler.next = {};
  const auto without = testing::as_double(testing::estimate(*make(sampler, on_), x_, 0));
  double largest = 0;
  for (std::uint32_t row = 0; row < records; ++row) {
    sampler.next = {row};
    const auto with = testing::as_double(testing::estimate(*make(sampler, on_), x_, 0));
    largest = std::max(largest, std::sqrt(testing::distance_squared(with, without)));
  }
  EXPECT_LE(largest, declared * (1 + 50 * testing::rounding) + 50 * testing::rounding);
  EXPECT_GE(largest, kind.uses_batch ? 0.1 * declared : 0.0);  // the test has something to see
}

INSTANTIATE_TEST_SUITE_P(Estimators, EveryEstimator, ::testing::ValuesIn(kinds()),
                         [](const auto& test) {
                           return test.param.estimator + "_" + test.param.problem;
                         });

// The same for a record whose gradient is replaced by 0 while no record is drawn: a sparse row
// without entries has gradient 0.
TEST(Estimators, KeepTheirFullSensitivity) {
  const Vector w = testing::random_vector(5, 1, 0.7);
  const Vector x = testing::random_vector(5, 2, 0.7);
  testing::ScriptedSampler sampler;
  for (const auto& row : estimators()) {
    const double declared = row.make.sensitivity(threshold, batch, records).full;
    auto estimate = [&](const testing::Case& on) {
      const auto made =
          testing::make_estimator(row.name, on, sampler, {.batch = batch, .threshold = threshold});
      made->start(w);
      return testing::as_double(testing::estimate(*made, x, 0));
    };
    const auto with = estimate(testing::make_case("logistic", 1, records, 5, 8));
    for (std::uint32_t gone = 0; gone < records; ++gone) {
      testing::Case less = testing::make_case("logistic", 1, records, 5, 8);
      auto& rows = std::get<SparseRows>(less.shards[0].rows);
      SparseRows kept;
      kept.columns = rows.columns;
      for (std::size_t r = 0; r < records; ++r) {
        if (r == gone)
          kept.start.push_back(kept.start.back());
        else
          kept.append_row(rows, r);
      }
      rows = kept;
      less.shards[0].prepare();
      EXPECT_LE(std::sqrt(testing::distance_squared(with, estimate(less))),
                declared + 50 * testing::rounding)
          << row.name;
    }
  }
}

// spec 6.3: G_A and G_B, and 1.3: SGD G/b; SVRG and SAGA 2G/b and G/m.
TEST(Estimators, DeclaredSensitivities) {
  const auto of = [](const char* name) {
    return testing::estimator_kind(name).sensitivity(0.5, 50, 1000);
  };
  EXPECT_EQ(of("gd").sampled, 0);
  EXPECT_DOUBLE_EQ(of("gd").full, 0.5 / 1000);
  EXPECT_DOUBLE_EQ(of("sgd").sampled, 0.5 / 50);
  EXPECT_EQ(of("sgd").full, 0);
  EXPECT_DOUBLE_EQ(of("recursive").sampled, 0.5 / 50);
  EXPECT_EQ(of("recursive").full, 0);
  for (const char* name : {"svrg", "saga"}) {
    EXPECT_DOUBLE_EQ(of(name).sampled, 2 * 0.5 / 50);
    EXPECT_DOUBLE_EQ(of(name).full, 0.5 / 1000);
  }
}

}  // namespace trilemma::estimators_test
