// Local solvers that begin at the model of the round (src/local/solvers.cpp; spec algorithms.md
// 2.1, 2.2, 3.1 and 4.2), against plain loops in double.

#include "tests/support/solvers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/mean_estimation.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::solvers_test {

using testing::make_solver;
using testing::StepRows;
using testing::Steps;

constexpr std::size_t records = 9;
constexpr double tolerance = 200 * testing::rounding;

class SolverOn : public ::testing::TestWithParam<const char*> {
 protected:
  Vector run(const std::string& name, const Steps& steps, std::uint32_t round = 0,
             std::size_t slot = 0) {
    const auto solver = make_solver(name, problem(), on_.view(), sampler_, steps);
    solver->start(x_);
    return testing::estimate(*solver, x_, round, slot);
  }
  Problem& problem() { return *on_.problem; }
  // (x - w_E) of the plain loop.
  std::vector<double> moved(double eta, double pull, std::size_t count,
                            const testing::RowsOfStep& choose) {
    const auto x = testing::as_double(x_);
    auto w = testing::walk(problem(), on_.shards[0], x, x, eta, pull, count, choose);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = x[j] - w[j];
    return w;
  }
  static StepRows everything(std::size_t) { return {testing::all_rows(records), double(records)}; }
  static StepRows one_after_the_other(std::size_t t) {
    return {{static_cast<std::uint32_t>(t)}, 1.0};
  }

  testing::Case on_ = testing::make_case(GetParam(), 2, records, 8, 3);
  Vector x_ = testing::random_vector(on_.problem->dimension(), 4, 0.5);
  testing::ScriptedSampler sampler_;
};

void expect_multiple(const Vector& out, const std::vector<double>& moved, double factor) {
  for (std::size_t j = 0; j < out.size(); ++j)
    EXPECT_NEAR(out[j], factor * moved[j], tolerance * std::max(1.0, factor)) << j;
}

// E steps on all records; sum = (w - w_E) / eta, mean = sum / E.
TEST_P(SolverOn, GdIsThePlainLoop) {
  constexpr double eta = 0.3;
  for (const long count : {1L, 2L, 7L}) {
    const auto moved = this->moved(eta, 0, static_cast<std::size_t>(count), everything);
    const double e = static_cast<double>(count);
    auto steps = [&](Update update) {
      return Steps{.count = count, .rate = eta, .update = update};
    };
    expect_multiple(run("gd", steps(Update::difference)), moved, 1);
    expect_multiple(run("gd", steps(Update::sum)), moved, 1 / eta);
    expect_multiple(run("gd", steps(Update::mean)), moved, 1 / eta / e);
  }
}

// Whatever the rate is: no rounding of a difference is divided by it.
TEST_P(SolverOn, OneStepIsTheGradient) {
  auto gradient = testing::mean_gradient(problem(), on_.shards[0], x_, 1e30);
  const auto slope = testing::regulariser_gradient(problem(), x_);
  for (const double eta : {1e-8, 0.1, 10.0})
    for (const Update update : {Update::sum, Update::mean}) {
      const Vector out = run("gd", {.rate = eta, .update = update});
      for (std::size_t j = 0; j < out.size(); ++j)
        EXPECT_NEAR(out[j], gradient[j] + slope[j], 20 * testing::rounding);
    }
}

// [NEC]: each of T steps has gamma / T; a cyclic pass over N records has steps of gamma / N.
TEST_P(SolverOn, AWholePassDividesItsRate) {
  const Steps pass{.count = 5, .rate = 0.5, .divides_rate = true, .update = Update::difference};
  const Steps steps{.count = 5, .rate = 0.1, .update = Update::difference};
  EXPECT_EQ(run("gd", pass), run("gd", steps));
  expect_multiple(run("cyclic", pass), moved(0.5 / records, 0, records, one_after_the_other), 1);
  // P = (x - T(x)) / gamma
  Steps mean = pass;
  mean.update = Update::mean;
  expect_multiple(run("gd", mean), moved(0.1, 0, 5, everything), 1 / 0.5);
  expect_multiple(run("cyclic", mean), moved(0.5 / records, 0, records, one_after_the_other),
                  1 / 0.5);
}

TEST_P(SolverOn, PullsToTheModelOfTheRound) {
  const Steps steps{.count = 6, .rate = 0.2, .pull = 0.7, .update = Update::difference};
  expect_multiple(run("gd", steps), moved(0.2, 0.7, 6, everything), 1);
  Steps free = steps;
  free.pull = 0;
  EXPECT_NE(run("gd", steps), run("gd", free));
}

// E = 1: the pull is 0 at the model of the round.
TEST_P(SolverOn, ThePullActsFromTheSecondStepOn) {
  EXPECT_EQ(run("gd", {.rate = 0.2, .pull = 0.7}), run("gd", {.rate = 0.2, .pull = 0}));
}

TEST_P(SolverOn, TheRateDecaysWithTheRounds) {
  const Steps falling{.count = 3, .rate = 0.4, .decay = 0.5, .every = 4};
  for (const std::uint32_t round : {0U, 3U, 4U, 9U})
    EXPECT_EQ(run("gd", falling, round),
              run("gd", {.count = 3, .rate = 0.4 * std::pow(0.5, round / 4)}, round));
}

TEST_P(SolverOn, CyclicPassOverEveryRecordInOrder) {
  expect_multiple(run("cyclic", {.rate = 0.05}), moved(0.05, 0, records, one_after_the_other), 1);
}

TEST_P(SolverOn, CyclicPassOverOneRecordIsOneStep) {
  const Dataset one = on_.shards[0].select(std::vector<std::uint32_t>{4});
  Dataset prepared = one;
  prepared.prepare();
  const Steps steps{.rate = 0.3, .divides_rate = true, .update = Update::mean};
  auto out = [&](const char* name) {
    const auto solver = make_solver(name, problem(), {&prepared}, sampler_, steps);
    return testing::estimate(*solver, x_, 0);
  };
  EXPECT_EQ(out("cyclic"), out("gd"));
}

TEST_P(SolverOn, CyclicPassOverEqualRecordsIsAsManySteps) {
  Dataset equal = on_.shards[0].select(std::vector<std::uint32_t>(6, 4));
  equal.prepare();
  const Steps steps{.count = 6, .rate = 0.3, .divides_rate = true, .update = Update::mean};
  auto out = [&](const char* name) {
    const auto solver = make_solver(name, problem(), {&equal}, sampler_, steps);
    return testing::estimate(*solver, x_, 0);
  };
  const Vector cyclic = out("cyclic");
  const Vector gd = out("gd");
  for (std::size_t j = 0; j < gd.size(); ++j) EXPECT_NEAR(cyclic[j], gd[j], tolerance);
}

// (1/b) * sum of what was drawn; b is public, and nothing drawn leaves the regulariser.
TEST_P(SolverOn, MinibatchStepsDivideByTheConstant) {
  for (const std::vector<std::uint32_t>& rows :
       std::vector<std::vector<std::uint32_t>>{{}, {3}, {0, 8, 5}, {2, 2, 2, 7, 7, 1}}) {
    sampler_.next = rows;
    expect_multiple(run("sgd", {.count = 3, .rate = 0.2}),
                    moved(0.2, 0, 3,
                          [&](std::size_t) {
                            return StepRows{rows, 4.0};
                          }),
                    1);
  }
}

// Every step divides by the number of its records, also the last of an epoch: 9 = 4 + 4 + 1.
TEST_P(SolverOn, ShuffledEpochsAreThePlainLoop) {
  constexpr std::uint32_t round = 2;
  const auto sampler = testing::make_sampler("shuffled");
  const auto choose = [&](std::size_t t) {
    std::vector<std::uint32_t> rows;
    sampler->draw({31, Purpose::minibatch, 0, 6 * round + static_cast<std::uint32_t>(t)}, records,
                  4, rows);
    const auto divisor = static_cast<double>(rows.size());
    return StepRows{rows, divisor};
  };
  const Steps steps{.count = 6, .rate = 0.2};
  const auto by_step = make_solver("sgd", problem(), on_.view(), *sampler, steps, 4);
  const Vector moved_by_steps = testing::estimate(*by_step, x_, round);
  expect_multiple(moved_by_steps, moved(0.2, 0, 6, choose), 1);
  EXPECT_EQ(by_step->last_steps(), 6U);

  const Steps epochs{.counts_epochs = true, .count = 2, .rate = 0.2};
  const auto by_epoch = make_solver("sgd", problem(), on_.view(), *sampler, epochs, 4);
  EXPECT_EQ(testing::estimate(*by_epoch, x_, round), moved_by_steps);
  EXPECT_EQ(by_epoch->last_steps(), 6U);
}

TEST_P(SolverOn, WholeBatchesAreGdToTheBit) {
  const Steps steps{.count = 4, .rate = 0.2, .pull = 0.1};
  for (const char* name : {"poisson", "without-replacement", "shuffled"}) {
    const auto sampler = testing::make_sampler(name);
    const auto sgd = make_solver("sgd", problem(), on_.view(), *sampler, steps, records);
    EXPECT_EQ(testing::estimate(*sgd, x_, 2), run("gd", steps, 2)) << name;
  }
}

TEST_P(SolverOn, TakesAsManyStepsAsTheTaskSays) {
  const auto sampler = testing::make_sampler("poisson");
  const Key key{31, Purpose::minibatch, 0, 0};
  for (const char* name : {"gd", "sgd", "personal-gd", "additive-sgd", "block-gd"}) {
    const auto told = make_solver(name, problem(), on_.view(), *sampler, {.count = 9, .rate = 0.2});
    const auto asked =
        make_solver(name, problem(), on_.view(), *sampler, {.count = 4, .rate = 0.2});
    Vector of_task(x_.size());
    Vector of_method(x_.size());
    for (const auto& solver : {told.get(), asked.get()}) solver->start(x_);
    const std::size_t drawn = told->estimate(0, {x_, key, 4}, of_task);
    EXPECT_EQ(drawn, asked->estimate(0, {x_, key}, of_method)) << name;
    EXPECT_EQ(of_task, of_method) << name;
  }
}

// Nothing is left over from other clients or rounds.
TEST_P(SolverOn, IsAFunctionOfTheKey) {
  const auto sampler = testing::make_sampler("poisson");
  const Steps steps{.count = 3, .rate = 0.2};
  for (const char* name : {"gd", "sgd", "cyclic"}) {
    const auto solver = make_solver(name, problem(), on_.view(), *sampler, steps);
    solver->start(x_);
    const Vector first = testing::estimate(*solver, x_, 5, 1);
    const Vector other = testing::estimate(*solver, x_, 5, 0);
    testing::estimate(*solver, testing::random_vector(x_.size(), 77), 6, 1);
    EXPECT_EQ(testing::estimate(*solver, x_, 5, 1), first) << name;
    EXPECT_NE(first, other) << name;
    const auto again = make_solver(name, problem(), on_.view(), *sampler, steps);
    EXPECT_EQ(testing::estimate(*again, x_, 5, 0), other) << name;
    Vector room;
    EXPECT_TRUE(solver->personal_model(0, {}, room).empty()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, SolverOn, ::testing::Values("logistic", "network", "images"));

// w_E - a = (1 - eta)^E (w - a), so the sum of the gradients is (1 - (1 - eta)^E) / eta (w - a):
// the closed form of algorithms.md 1.6 for Q = I.
TEST(Solvers, SumOfGradientsOnAQuadratic) {
  const auto mean = testing::make_problem("mean", {3, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{1, -2, 0.5}});
  testing::ScriptedSampler unused;
  const Vector x{3, 1, 0};
  for (const long count : {1L, 2L, 20L}) {
    const auto solver = make_solver("gd", problem, {shards.data()}, unused,
                                    {.count = count, .rate = 0.25, .update = Update::sum});
    const double factor = (1 - std::pow(0.75, static_cast<double>(count))) / 0.25;
    const Vector out = testing::estimate(*solver, x, 0);
    const Vector away{2, 3, -0.5};
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(out[j], factor * static_cast<double>(away[j]), tolerance);
  }
}

// A client that works before it is asked ends where one ends that works when it is asked.
TEST(StepsInAdvance, AreNotTakenAgain) {
  auto on = testing::make_case("logistic", 2, 9, 6, 3);
  const Vector x = testing::random_vector(6, 4, 0.5);
  const Vector now = testing::random_vector(6, 5, 0.5);
  const std::pair<const char*, const char*> kinds[] = {{"sgd", "poisson"},
                                                       {"sgd", "shuffled"},
                                                       {"averaged-sgd", "poisson"},
                                                       {"averaged-sgd", "shuffled"},
                                                       {"averaged-gd", "poisson"}};
  for (const auto& [name, sampling] : kinds) {
    const auto sampler = row(samplers(), sampling).make();
    const testing::Steps steps{.count = 8, .rate = 0.2};
    const auto plain = testing::make_solver(name, *on.problem, on.view(), *sampler, steps);
    const auto early = testing::make_solver(name, *on.problem, on.view(), *sampler, steps);
    plain->start(x);
    early->start(x);
    for (std::uint32_t number = 0; number < 3; ++number) {
      const auto task = [&](std::uint32_t slot) {
        return Task{
            .model = x, .key = {31, Purpose::minibatch, slot, number}, .steps = 5, .now = now};
      };
      // The first client has taken all its steps when it is asked, the second some, or none.
      for (std::uint32_t turn = 0; turn < 5; ++turn) {
        early->advance(0, task(0));
        if (turn < 2 * number) early->advance(1, task(1));
      }
      for (const std::uint32_t slot : {1U, 0U}) {
        Vector expected(6);
        Vector found(6);
        EXPECT_EQ(plain->estimate(slot, task(slot), expected),
                  early->estimate(slot, task(slot), found));
        EXPECT_EQ(found, expected) << name << ' ' << sampling << ' ' << number << ' ' << slot;
      }
    }
  }
}

}  // namespace trilemma::solvers_test
