// Solvers whose clients keep models of their own (src/local/solvers.cpp; spec algorithms.md 4.1),
// and the minibatches of steps.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/support/mean_estimation.hpp"
#include "tests/support/solvers.hpp"
#include "tests/support/stubs.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::personal_solvers_test {

using testing::as_double;
using testing::estimate;
using testing::make_solver;
using testing::StepRows;
using testing::Steps;

constexpr std::size_t records = 9;
Vector room;  // models kept by the clients need none
constexpr double tolerance = 200 * testing::rounding;

void expect_near(ConstView a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= b[j];
  return a;
}

class Personal : public ::testing::TestWithParam<Update> {
 protected:
  testing::Case on_ = testing::make_case("logistic", 3, records, 6, 3);
  testing::ScriptedSampler sampler_;
  Vector start_ = testing::random_vector(6, 4, 0.5);
};

// Three rounds at three billboards: w_k goes on from where it was, and the pull is to the
// billboard.
TEST_P(Personal, GoesOnFromItsOwnModel) {
  const Steps steps{.count = 4, .rate = 0.2, .pull = 0.6, .update = GetParam()};
  const auto solver = make_solver("personal-gd", *on_.problem, on_.view(), sampler_, steps);
  solver->start(start_);
  for (std::size_t slot = 0; slot < 3; ++slot)
    expect_near(solver->personal_model(slot, {}, room), as_double(start_));
  auto w = as_double(start_);
  for (std::uint32_t round = 0; round < 3; ++round) {
    const Vector x = testing::random_vector(6, 50 + round);
    const auto next =
        testing::walk(*on_.problem, on_.shards[1], w, as_double(x), 0.2, 0.6, 4, [](std::size_t) {
          return StepRows{testing::all_rows(records), double(records)};
        });
    const Vector sent = estimate(*solver, x, round, 1);
    expect_near(sent, minus(GetParam() == Update::own ? w : as_double(x), next));
    expect_near(solver->personal_model(1, {}, room), next);
    w = next;
  }
  // The others were not asked.
  for (const std::size_t slot : {0U, 2U})
    expect_near(solver->personal_model(slot, {}, room), as_double(start_));
}

INSTANTIATE_TEST_SUITE_P(Updates, Personal, ::testing::Values(Update::difference, Update::own));

class PersonalName : public ::testing::TestWithParam<const char*> {};

TEST_P(PersonalName, ComesBackFromARestart) {
  const auto on = testing::make_case("logistic", 2, records, 6, 3);
  const auto sampler = testing::make_sampler("poisson");
  const Vector x = testing::random_vector(6, 4, 0.5);
  const Steps steps{.count = 3, .rate = 0.2, .pull = 0.1};
  auto make = [&] { return make_solver(GetParam(), *on.problem, on.view(), *sampler, steps); };
  const auto first = make();
  first->start(x);
  for (const std::size_t slot : {0U, 1U, 1U}) estimate(*first, x, 0, slot);
  Bytes bytes;
  State saving = State::saving(bytes);
  first->persist_common(saving);
  for (std::size_t slot = 0; slot < 2; ++slot) first->persist(slot, saving);
  const auto second = make();
  second->start(testing::random_vector(6, 99));
  State restoring = State::restoring(bytes);
  second->persist_common(restoring);
  for (std::size_t slot = 0; slot < 2; ++slot) second->persist(slot, restoring);
  restoring.finish();
  for (std::size_t slot = 0; slot < 2; ++slot) {
    EXPECT_EQ(estimate(*second, x, 4, slot), estimate(*first, x, 4, slot)) << slot;
    const ConstView a = first->personal_model(slot, {}, room);
    const ConstView b = second->personal_model(slot, {}, room);
    EXPECT_EQ(Vector(a.begin(), a.end()), Vector(b.begin(), b.end()));
  }
}

// Clients that are put back to the model of the round are those of the plain solver.
TEST_P(PersonalName, ResetClientsArePlainClients) {
  const auto on = testing::make_case("logistic", 2, records, 6, 3);
  const auto sampler = testing::make_sampler("poisson");
  const Steps steps{.count = 3, .rate = 0.2, .pull = 0.1};
  const std::string name = GetParam();
  const auto personal = make_solver(name, *on.problem, on.view(), *sampler, steps);
  const auto plain = make_solver(name.substr(9), *on.problem, on.view(), *sampler, steps);
  for (std::uint32_t round = 0; round < 3; ++round) {
    const Vector x = testing::random_vector(6, round, 0.5);
    personal->start(x);
    for (std::size_t slot = 0; slot < 2; ++slot)
      EXPECT_EQ(estimate(*personal, x, round, slot), estimate(*plain, x, round, slot));
  }
}

INSTANTIATE_TEST_SUITE_P(Names, PersonalName, ::testing::Values("personal-gd", "personal-sgd"));

// algorithms.md 1.6 and 4.6: with one step of lambda eta = 1, w_k = x - eta grad l_k(w_k).
TEST(PersonalSolver, OneStepWithTheWholePull) {
  const auto mean = testing::make_problem("mean", {2, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{1, -2}});
  testing::ScriptedSampler unused;
  const auto solver =
      make_solver("personal-gd", problem, {shards.data()}, unused, {.rate = 0.25, .pull = 4});
  solver->start(Vector{3, 5});
  const Vector x{10, 20};
  estimate(*solver, x, 0);
  expect_near(solver->personal_model(0, {}, room), {10 - 0.25 * (3 - 1), 20 - 0.25 * (5 + 2)});
}

// argmin of 0.5 ||w - a||^2 + (lambda/2) ||w - x||^2 is (a + lambda x) / (1 + lambda).
TEST(PersonalSolver, ManyStepsReachTheMinimum) {
  const auto mean = testing::make_problem("mean", {2, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{1, -2}});
  testing::ScriptedSampler unused;
  const auto solver = make_solver("personal-gd", problem, {shards.data()}, unused,
                                  {.count = 200, .rate = 0.1, .pull = 3});
  solver->start(Vector{3, 5});
  estimate(*solver, Vector{10, 20}, 0);
  expect_near(solver->personal_model(0, {}, room), {31.0 / 4, 58.0 / 4});
}

// The joint optimum of algorithms.md 1.6: x = mean a_k, w_k = (a_k + lambda x) / (1 + lambda), by
// rounds of many steps and a server that takes the mean of the clients' models.
TEST(PersonalSolver, RoundsReachTheJointOptimum) {
  const auto mean = testing::make_problem("mean", {1, 0}, "");
  Problem& problem = *mean;
  const auto shards = testing::one_record_each({{0}, {1}, {5}});
  testing::ScriptedSampler unused;
  const auto solver = make_solver("personal-gd", problem, {&shards[0], &shards[1], &shards[2]},
                                  unused, {.count = 40, .rate = 0.2, .pull = 3});
  Vector x{9};
  solver->start(x);
  for (std::uint32_t round = 0; round < 150; ++round) {
    double mean = 0;
    for (std::size_t slot = 0; slot < 3; ++slot)
      mean += static_cast<double>(estimate(*solver, x, round, slot)[0]) / 3;
    x[0] -= static_cast<real>(mean);
  }
  EXPECT_NEAR(x[0], 2, tolerance);
  expect_near(solver->personal_model(0, {}, room), {6.0 / 4});
  expect_near(solver->personal_model(1, {}, room), {7.0 / 4});
  expect_near(solver->personal_model(2, {}, room), {11.0 / 4});
}

// Keeps the keys it was asked for, and the rows it drew.
class KeepingSampler final : public Sampler {
 public:
  std::vector<Key> keys;
  std::vector<std::vector<std::uint32_t>> drawn;
  const char* name() const override { return inner_->name(); }
  accounting::Sampling scheme() const override { return inner_->scheme(); }
  void draw(const Key& key, std::size_t count, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    inner_->draw(key, count, batch, rows);
    keys.push_back(key);
    drawn.push_back(rows);
  }

 private:
  std::unique_ptr<Sampler> inner_ = testing::make_sampler("poisson");
};

// Neither two steps, nor two rounds, nor two clients share a stream.
TEST(MinibatchSteps, EveryStepHasAStreamOfItsOwn) {
  for (const char* name : {"sgd", "personal-sgd"}) {
    const auto on = testing::make_case("logistic", 2, 40, 6, 3);
    KeepingSampler sampler;
    const auto solver =
        make_solver(name, *on.problem, on.view(), sampler, {.count = 5, .rate = 0.1}, 10);
    const Vector x(6, real{0});
    solver->start(x);
    for (std::uint32_t round = 0; round < 4; ++round)
      for (std::size_t slot = 0; slot < 2; ++slot) estimate(*solver, x, round, slot);
    ASSERT_EQ(sampler.keys.size(), 40U);
    std::set<std::tuple<std::uint32_t, std::uint32_t>> streams;
    for (const Key& key : sampler.keys) {
      EXPECT_EQ(key.purpose, Purpose::minibatch);
      streams.insert({key.client, key.round});
    }
    EXPECT_EQ(streams.size(), 40U) << name;
    std::set<std::vector<std::uint32_t>> batches(sampler.drawn.begin(), sampler.drawn.end());
    EXPECT_EQ(batches.size(), 40U) << name;
  }
}

TEST(MinibatchSteps, CountTheRecordsDrawn) {
  const auto on = testing::make_case("logistic", 1, 40, 6, 3);
  KeepingSampler sampler;
  const std::map<std::string, std::size_t> expected{
      {"gd", 5 * 40},          {"personal-gd", 5 * 40}, {"additive-gd", 5 * 40},
      {"scaffold-gd", 5 * 40}, {"block-gd", 5 * 40},    {"cyclic", 40},
      {"averaged-gd", 5 * 40}, {"zeroth-gd", 5 * 40}};
  for (const auto& row : solvers()) {
    sampler.drawn.clear();
    const auto solver =
        make_solver(row.name, *on.problem, on.view(), sampler, {.count = 5, .rate = 0.1}, 10);
    const Vector x(row.make.family == SolverFamily::corrected ? 12 : 6, real{0});
    solver->start(x);
    // Zeroth-order: 5 steps of 2 directions.
    Vector out(row.make.family == SolverFamily::zeroth_order ? 5 * 2 : x.size());
    const std::size_t records_drawn =
        solver->estimate(0, {.model = x, .key = {31, Purpose::minibatch, 0, 0}, .now = x}, out);
    std::size_t all = 0;
    for (const auto& rows : sampler.drawn) all += rows.size();
    EXPECT_EQ(records_drawn, row.make.uses_batch ? all : expected.at(row.name)) << row.name;
  }
}

TEST(Solvers, NamesOfTheTable) {
  EXPECT_EQ(names(solvers()),
            (std::vector<std::string>{"gd", "sgd", "cyclic", "personal-gd", "personal-sgd",
                                      "additive-gd", "additive-sgd", "scaffold-gd", "scaffold-sgd",
                                      "block-gd", "block-sgd", "averaged-gd", "averaged-sgd",
                                      "zeroth-gd", "zeroth-sgd"}));
}

}  // namespace trilemma::personal_solvers_test
