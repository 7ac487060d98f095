// Variance of the estimators against the closed forms (spec algorithms.md 1.2 and 6.6), for every
// way of sampling: with a_j the vectors that are averaged (gradients for SGD, differences to the
// snapshot or to the table for SVRG and SAGA), E||est - abar||^2 is
//   poisson              ((m-b)/(m^2 b)) sum ||a_j||^2
//   without replacement  ((m-b)/(b(m-1))) (1/m) sum ||a_j - abar||^2
//   with replacement     (1/b) (1/m) sum ||a_j - abar||^2

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/estimators.hpp"
#include "tests/support/statistics.hpp"

namespace trilemma::variance_test {

constexpr double threshold = 0.5;
constexpr std::size_t m = 12;
constexpr std::size_t b = 5;
constexpr std::uint32_t draws = 8000;

using Rows = std::vector<std::vector<double>>;

double closed_form(const std::string& sampler, const Rows& a) {
  std::vector<double> mean(a[0].size(), 0.0);
  for (const auto& row : a)
    for (std::size_t j = 0; j < row.size(); ++j) mean[j] += row[j] / m;
  const std::vector<double> zero(mean.size(), 0.0);
  double around_zero = 0;
  double around_mean = 0;
  for (const auto& row : a) {
    around_zero += testing::distance_squared(row, zero);
    around_mean += testing::distance_squared(row, mean);
  }
  const double md = m;
  const double bd = b;
  if (sampler == "poisson") return (md - bd) / (md * md * bd) * around_zero;
  if (sampler == "without-replacement") return (md - bd) / (bd * (md - 1)) / md * around_mean;
  return around_mean / md / bd;
}

struct Kind {
  const char* estimator;
  const char* sampler;
};

class VarianceOf : public ::testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<LocalWork> make() {
    auto made = testing::make_estimator(GetParam().estimator, on_, *sampler_,
                                        {.batch = b, .threshold = threshold});
    made->start(w_);
    // SAGA: a first estimate makes the table a mixture of w and v.
    if (std::string("saga") == GetParam().estimator) testing::estimate(*made, v_, first_round);
    return made;
  }
  // What a record's vector is subtracted by: the model that its control variate stands at.
  std::vector<Vector> reference() {
    std::vector<Vector> at(m, w_);
    if (std::string("saga") == GetParam().estimator) {
      std::vector<std::uint32_t> rows;
      sampler_->draw({31, Purpose::minibatch, 0, first_round}, m, b, rows);
      for (const auto row : rows) at[row] = v_;
    }
    return at;
  }

  static constexpr std::uint32_t first_round = 1'000'000;
  testing::Case on_ = testing::make_case("logistic", 1, m, 6, 8);
  std::unique_ptr<Sampler> sampler_ = testing::make_sampler(GetParam().sampler);
  Vector w_ = testing::random_vector(6, 1);
  Vector v_ = testing::random_vector(6, 2);
  Vector x_ = testing::random_vector(6, 3);
};

// Mean of ||est - grad||^2 within five standard errors of the closed form (6e-7), and every
// coordinate of the mean within five of the gradient's (4e-6).
TEST_P(VarianceOf, EqualsTheClosedFormAndTheMeanIsTheGradient) {
  const bool plain = std::string("sgd") == GetParam().estimator;
  const auto at = reference();
  Rows a;
  for (std::uint32_t row = 0; row < m; ++row) {
    a.push_back(testing::record_gradient(*on_.problem, on_.shards[0], row, x_, threshold));
    if (plain) continue;
    const auto old = testing::record_gradient(*on_.problem, on_.shards[0], row, at[row], threshold);
    for (std::size_t j = 0; j < old.size(); ++j) a[row][j] -= old[j];
  }
  auto gradient = testing::mean_gradient(*on_.problem, on_.shards[0], x_, threshold);
  const auto slope = testing::regulariser_gradient(*on_.problem, x_);
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += slope[j];

  testing::Sample square;
  std::vector<testing::Sample> coordinate(gradient.size());
  for (std::uint32_t round = 0; round < draws; ++round) {
    const auto out = testing::as_double(testing::estimate(*make(), x_, round));
    square.add(testing::distance_squared(out, gradient));
    for (std::size_t j = 0; j < out.size(); ++j) coordinate[j].add(out[j]);
  }
  testing::expect_mean(square, closed_form(GetParam().sampler, a), 1e-9);
  for (std::size_t j = 0; j < gradient.size(); ++j)
    testing::expect_mean(coordinate[j], gradient[j], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Local, VarianceOf,
    ::testing::Values(Kind{"sgd", "poisson"}, Kind{"sgd", "without-replacement"},
                      Kind{"sgd", "with-replacement"}, Kind{"svrg", "poisson"},
                      Kind{"svrg", "without-replacement"}, Kind{"svrg", "with-replacement"},
                      Kind{"saga", "poisson"}, Kind{"saga", "without-replacement"},
                      Kind{"saga", "with-replacement"}),
    [](const auto& test) {
      std::string name = std::string(test.param.estimator) + "_" + test.param.sampler;
      for (auto& c : name)
        if (c == '-') c = '_';
      return name;
    });

}  // namespace trilemma::variance_test
