// Solvers whose clients add a part of their own to the model of the round
// (src/local/additive_solver.cpp; spec algorithms.md 4.5).

#include <gtest/gtest.h>

#include "tests/support/mean_estimation.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::additive_solver_test {

using testing::make_solver;
constexpr double tolerance = 200 * testing::rounding;

std::unique_ptr<LocalWork> additive(const std::string& name, Problem& problem,
                                    const std::vector<const Dataset*>& shards, Sampler& sampler,
                                    const testing::Steps& steps) {
  return make_solver(name, problem, shards, sampler, steps);
}

Vector own(const LocalWork& solver, std::size_t slot, const Vector& x) {
  Vector room;
  const ConstView model = solver.personal_model(slot, x, room);
  return {model.begin(), model.end()};
}

// Both parts step by step, in plain loops: loss 0.5 (w + theta - a)^2, so g = w + theta - a.
TEST(AdditiveSolver, BothPartsByHand) {
  for (const double ratio : {0.0, 0.5, 1.0, 3.0}) {
    const auto mean = testing::make_problem("mean", {1, 0}, "");
    Problem& problem = *mean;
    const auto shards = testing::one_record_each({{2}, {-1}});
    testing::ScriptedSampler unused;
    const auto solver = additive("additive-gd", problem, {&shards[0], &shards[1]}, unused,
                                 {.count = 3, .rate = 0.125, .personal_ratio = ratio});
    solver->start(Vector{7});
    double theta = 0;
    for (std::uint32_t round = 0; round < 3; ++round) {
      const double x = 5.0 - round;
      double w = x;
      for (int step = 0; step < 3; ++step) {
        const double g = w + theta - 2;
        w -= 0.125 * g;
        theta -= 0.125 * ratio * g;
      }
      const auto at = static_cast<real>(x);
      EXPECT_NEAR(testing::estimate(*solver, Vector{at}, round, 0)[0], x - w, tolerance) << ratio;
      EXPECT_NEAR(own(*solver, 0, {10})[0], 10 + theta, tolerance) << ratio;
    }
    // The other client was not asked.
    EXPECT_EQ(own(*solver, 1, {10}), Vector{10});
  }
}

// Without a part of its own a client is one of the plain solver.
TEST(AdditiveSolver, WithoutOwnPartItIsThePlainSolver) {
  const auto on = testing::make_case("logistic", 2, 9, 6, 3);
  const auto sampler = testing::make_sampler("poisson");
  for (const std::string steps : {"gd", "sgd"}) {
    const auto solver = additive("additive-" + steps, *on.problem, on.view(), *sampler,
                                 {.count = 4, .rate = 0.2, .personal_ratio = 0});
    const auto plain =
        make_solver(steps, *on.problem, on.view(), *sampler, {.count = 4, .rate = 0.2});
    const Vector x = testing::random_vector(6, 3, 0.5);
    solver->start(x);
    for (std::uint32_t round = 0; round < 3; ++round) {
      const Vector sent = testing::estimate(*solver, x, round, 1);
      const Vector expected = testing::estimate(*plain, x, round, 1);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(sent[j], expected[j], tolerance) << steps;
      EXPECT_EQ(own(*solver, 1, x), x);
    }
  }
}

TEST(AdditiveSolver, ComesBackFromARestart) {
  const auto on = testing::make_case("logistic", 1, 9, 6, 3);
  const auto sampler = testing::make_sampler("poisson");
  const Vector x = testing::random_vector(6, 4, 0.5);
  auto make = [&] {
    return additive("additive-sgd", *on.problem, on.view(), *sampler, {.count = 3, .rate = 0.2});
  };
  const auto first = make();
  first->start(x);
  testing::estimate(*first, x, 0, 0);
  Bytes bytes;
  State saving = State::saving(bytes);
  first->persist(0, saving);
  const auto second = make();
  State restoring = State::restoring(bytes);
  second->persist(0, restoring);
  restoring.finish();
  EXPECT_EQ(testing::estimate(*second, x, 4, 0), testing::estimate(*first, x, 4, 0));
  EXPECT_EQ(own(*second, 0, x), own(*first, 0, x));
}

}  // namespace trilemma::additive_solver_test
