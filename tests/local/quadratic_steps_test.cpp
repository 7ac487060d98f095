// Local steps on the quadratics of [NORM] (spec algorithms.md 1.6 and 2.2): f(w) = 0.5 ||A^T (w -
// c)||^2 as least squares over the columns of A.

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/lanes.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::quadratic_steps_test {

constexpr std::size_t d = 5;
constexpr std::size_t rank = 2;

struct Quadratic {
  Vector a = testing::random_vector(d * rank, 1, 0.6);  // column k of A: a[k d ..]
  Vector c = testing::random_vector(d, 2);
  Vector x = testing::random_vector(d, 3);
  Dataset data;

  // The mean over `rank` records is the whole of A A^T where a record is sqrt(rank) times a column.
  Quadratic() {
    DenseRows rows;
    rows.columns = d;
    const real scale = std::sqrt(static_cast<real>(rank));
    for (std::size_t k = 0; k < rank; ++k) {
      real target = 0;
      for (std::size_t j = 0; j < d; ++j) {
        rows.value.push_back(scale * a[k * d + j]);
        target += scale * a[k * d + j] * c[j];
      }
      data.target.push_back(target);
    }
    data.label.assign(rank, 0);
    data.rows = std::move(rows);
    data.prepare();
  }

  // A^T A, and A^T (x - c).
  double gram(std::size_t k, std::size_t l) const {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += double(a[k * d + j]) * double(a[l * d + j]);
    return sum;
  }
  std::vector<double> away() const {
    std::vector<double> r(rank, 0.0);
    for (std::size_t k = 0; k < rank; ++k)
      for (std::size_t j = 0; j < d; ++j) r[k] += double(a[k * d + j]) * double(x[j] - c[j]);
    return r;
  }

  // A M A^T (x - c), M = sum over t < E of (I - eta A^T A)^t.
  std::vector<double> closed_form(double eta, long count) const {
    std::vector<double> power = away();  // (I - eta A^T A)^t A^T (x - c)
    std::vector<double> sum(rank, 0.0);
    for (long t = 0; t < count; ++t) {
      std::vector<double> next = power;
      for (std::size_t k = 0; k < rank; ++k) {
        sum[k] += power[k];
        for (std::size_t l = 0; l < rank; ++l) next[k] -= eta * gram(k, l) * power[l];
      }
      power = next;
    }
    std::vector<double> u(d, 0.0);
    for (std::size_t k = 0; k < rank; ++k)
      for (std::size_t j = 0; j < d; ++j) u[j] += double(a[k * d + j]) * sum[k];
    return u;
  }

  Vector steps(const testing::Steps& how) {
    const auto problem = testing::make_problem("linear", {d, 0});
    testing::ScriptedSampler unused;
    const auto gd = testing::make_solver("gd", *problem, {&data}, unused, how);
    return testing::estimate(*gd, x, 0);
  }
};

TEST(QuadraticSteps, SumIsTheClosedForm) {
  Quadratic q;
  for (const long count : {1L, 2L, 20L}) {
    const Vector u = q.steps({.count = count, .rate = 0.1, .update = Update::sum});
    const auto expected = q.closed_form(0.1, count);
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(u[j], expected[j], 500 * testing::rounding);
  }
}

// [NEC]: (w - T(w)) / gamma with T steps of gamma / T.
TEST(QuadraticSteps, MeanIsTheClosedForm) {
  Quadratic q;
  for (const long count : {1L, 2L, 20L}) {
    const Vector p =
        q.steps({.count = count, .rate = 0.4, .divides_rate = true, .update = Update::mean});
    const double t = static_cast<double>(count);
    const auto expected = q.closed_form(0.4 / t, count);
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(p[j], expected[j] / t, 100 * testing::rounding);
  }
}

// ||u|| / E never grows with E where f is convex and eta <= 1/L.
TEST(QuadraticSteps, MeanGradientsShrink) {
  Quadratic q;
  const double smoothness = q.gram(0, 0) + q.gram(1, 1);  // the trace is at least L
  double before = 1e30;
  for (long count = 1; count <= 30; ++count) {
    const Vector u = q.steps({.count = count, .rate = 1 / smoothness, .update = Update::mean});
    const double norm = std::sqrt(norm_squared(ConstView(u)));
    EXPECT_LE(norm, before * (1 + 4 * testing::rounding)) << count;
    before = norm;
  }
}

}  // namespace trilemma::quadratic_steps_test
