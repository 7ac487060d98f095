// Differences of losses along common directions (src/local/zeroth_solver.cpp): against a quadratic,
// for which they have a closed form, and against plain loops in double.

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/directions.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::zeroth_solver_test {

using testing::as_double;
using testing::make_solver;
using testing::Steps;

constexpr std::uint64_t seed = 17;
constexpr std::size_t d = 6;
constexpr std::size_t records = 9;
constexpr double l2 = 0.3;  // of make_case("linear", ...)

std::vector<double> direction(std::uint32_t round, std::size_t number, std::size_t size = d) {
  std::vector<double> z(size);
  for (std::size_t j = 0; j < size; ++j)
    z[j] = normal_reference({seed, Purpose::directions, static_cast<std::uint32_t>(number), round},
                            static_cast<std::uint32_t>(j));
  return z;
}

// Half the mean squared residual of some rows, with the regulariser, in double.
double loss(const Dataset& shard, const std::vector<std::uint32_t>& rows,
            const std::vector<double>& x) {
  const Vector& features = std::get<DenseRows>(shard.rows).value;
  double sum = 0;
  for (const auto row : rows) {
    double residual = -static_cast<double>(shard.target[row]);
    for (std::size_t j = 0; j < d; ++j)
      residual += static_cast<double>(features[row * d + j]) * x[j];
    sum += 0.5 * residual * residual;
  }
  double square = 0;
  for (const double value : x) square += value * value;
  return sum / static_cast<double>(rows.size()) + 0.5 * l2 * square;
}

std::vector<double> scalars(LocalWork& solver, const Vector& x, std::uint32_t round,
                            std::size_t number) {
  Vector out(number);
  solver.estimate(0, {.model = x, .key = {seed, Purpose::minibatch, 0, round}}, out);
  return as_double(out);
}

TEST(Directions, AreThoseOfTheStreamInAnyParts) {
  constexpr std::size_t size = 5000;  // more than a block
  const auto z = direction(3, 2, size);
  for (const std::size_t first : {std::size_t{0}, std::size_t{7}, std::size_t{2048}}) {
    std::vector<double> part(size - first);
    draw_direction(seed, 3, 2, first, part);
    for (std::size_t j = 0; j < part.size(); ++j) EXPECT_NEAR(part[j], z[first + j], 1e-12);
  }
  Vector x = testing::random_vector(size, 5);
  const auto before = as_double(x);
  const auto y = direction(3, 0, size);
  move_along_directions(seed, 3, Vector{real{2}, real{0}, real{-1}}, 0.5, x);
  for (std::size_t j = 0; j < size; ++j)
    EXPECT_NEAR(x[j], before[j] - 0.5 * (2 * y[j] - z[j]), 4 * testing::rounding + 1e-13) << j;
}

// f(x + mu z) - f(x) = mu <grad f, z> + mu^2/2 z^T H z for a quadratic.
TEST(ZerothOrder, DifferencesOfAQuadratic) {
  const auto on = testing::make_case("linear", 1, records, d, 3);
  const auto rows = testing::all_rows(records);
  const Vector x = testing::random_vector(d, 4, 0.5);
  auto slope = testing::mean_gradient(*on.problem, on.shards[0], x, 1e30);
  for (std::size_t j = 0; j < d; ++j) slope[j] += l2 * static_cast<double>(x[j]);
  testing::ScriptedSampler sampler;
  for (const double mu : {1.0, 0.125}) {
    const auto solver = make_solver("zeroth-gd", *on.problem, on.view(), sampler,
                                    {.perturbations = 4, .smoothing = mu});
    const auto found = scalars(*solver, x, 2, 4);
    for (std::size_t p = 0; p < 4; ++p) {
      const auto z = direction(2, p);
      double along = 0;
      for (std::size_t j = 0; j < d; ++j) along += slope[j] * z[j];
      // z^T H z / 2 is the loss at z of the same records with targets 0.
      Dataset curved = on.shards[0];
      std::fill(curved.target.begin(), curved.target.end(), real{0});
      EXPECT_NEAR(found[p], along + mu * loss(curved, rows, z), 200 * testing::rounding) << p;
    }
  }
}

// Three steps of four records, each from where the one before has ended.
TEST(ZerothOrder, StepsFollowPlainLoops) {
  const auto on = testing::make_case("linear", 1, records, d, 3);
  testing::ScriptedSampler sampler;
  sampler.next = {1, 4, 5, 8};
  const Steps steps{.count = 3, .rate = 0.1, .perturbations = 2, .smoothing = 0.25};
  const auto solver = make_solver("zeroth-sgd", *on.problem, on.view(), sampler, steps);
  const Vector start = testing::random_vector(d, 4, 0.5);
  const auto found = scalars(*solver, start, 5, 6);
  auto x = as_double(start);
  for (std::size_t m = 0; m < 6; m += 2) {
    auto next = x;
    for (const std::size_t number : {m, m + 1}) {
      const auto z = direction(5, number);
      auto near = x;
      for (std::size_t j = 0; j < d; ++j) near[j] += 0.25 * z[j];
      const double g =
          (loss(on.shards[0], sampler.next, near) - loss(on.shards[0], sampler.next, x)) / 0.25;
      EXPECT_NEAR(found[number], g, 1000 * testing::rounding) << number;
      for (std::size_t j = 0; j < d; ++j) next[j] -= 0.1 / 2 * g * z[j];
    }
    x = next;
  }
}

// E[<g, z> z] = g; coordinate j of one product has variance |g|^2 + g_j^2.
TEST(ZerothOrder, TheMeanMoveIsAlongTheGradient) {
  constexpr std::size_t number = 20'000;
  const auto on = testing::make_case("linear", 1, records, d, 3);
  const Vector x = testing::random_vector(d, 4, 0.5);
  auto slope = testing::mean_gradient(*on.problem, on.shards[0], x, 1e30);
  for (std::size_t j = 0; j < d; ++j) slope[j] += l2 * static_cast<double>(x[j]);
  testing::ScriptedSampler sampler;
  const double mu = testing::wide ? 1e-5 : 1e-2;
  const auto solver = make_solver("zeroth-gd", *on.problem, on.view(), sampler,
                                  {.perturbations = number, .smoothing = mu});
  Vector out(number);
  solver->estimate(0, {.model = x, .key = {seed, Purpose::minibatch, 0, 0}}, out);
  Vector moved(d, real{0});
  move_along_directions(seed, 0, out, -1.0 / number, moved);
  double square = 0;
  for (const double s : slope) square += s * s;
  for (std::size_t j = 0; j < d; ++j)
    EXPECT_NEAR(moved[j], slope[j], 4 * std::sqrt((square + slope[j] * slope[j]) / number)) << j;
}

// Of all problems: the scalar of a direction is near the slope of their own gradient.
TEST(ZerothOrder, EveryProblemGivesLosses) {
  for (const char* kind : {"logistic", "network", "deep", "softmax", "linear"}) {
    const auto on = testing::make_case(kind, 1, records, d, 3);
    const std::size_t size = on.problem->dimension();
    const Vector x = testing::random_vector(size, 4, 0.3);
    auto slope = testing::mean_gradient(*on.problem, on.shards[0], x, 1e30);
    const auto regular = testing::regulariser_gradient(*on.problem, x);
    testing::ScriptedSampler sampler;
    const double mu = testing::wide ? 1e-6 : 1e-2;
    const auto solver = make_solver("zeroth-gd", *on.problem, on.view(), sampler,
                                    {.perturbations = 3, .smoothing = mu});
    const auto found = scalars(*solver, x, 1, 3);
    for (std::size_t p = 0; p < 3; ++p) {
      const auto z = direction(1, p, size);
      double along = 0;
      for (std::size_t j = 0; j < size; ++j) along += (slope[j] + regular[j]) * z[j];
      EXPECT_NEAR(found[p], along, testing::wide ? 1e-3 : 0.5) << kind << ' ' << p;
    }
  }
}

}  // namespace trilemma::zeroth_solver_test
