// Steps in the span of the records against the plain ones (src/local/span_solver.cpp): equal up to
// rounding for every linear model, update, weight decay and pull.

#include <gtest/gtest.h>

#include <cmath>

#include "local/solver.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::span_solver_test {

constexpr std::size_t features = 64;

struct Setting {
  const char* problem;
  const char* toml;
  std::size_t records;
  long steps;
  double pull;
  Update update;
};

testing::Case make(const Setting& on) {
  testing::Case made;
  const bool has_targets = testing::make_case(on.problem, 1, 4, 6, 1).shards[0].classes == 0;
  made.problem = testing::make_problem(on.problem, {features, has_targets ? 0 : 5}, on.toml);
  for (std::uint64_t c = 0; c < 2; ++c)
    made.shards.push_back(has_targets ? testing::target_records(on.records, features, 3 + c)
                                      : testing::byte_records(on.records, features, 5, 3 + c, 0.5));
  return made;
}

Vector update(const Setting& on, bool is_plain, std::size_t slot) {
  testing::Case made = make(on);
  LocalSetup setup;
  setup.problem = made.problem.get();
  setup.shards = made.view();
  setup.record_bound.threshold = std::numeric_limits<double>::infinity();
  setup.steps.solver = "gd";
  setup.steps.count = on.steps;
  setup.steps.rate = {.first = 0.01};
  setup.steps.pull = on.pull;
  setup.steps.update = on.update;
  setup.steps.is_plain = is_plain;
  const auto work = row(solvers(), "gd").make.make(setup);
  const Vector x = testing::random_vector(made.problem->dimension(), 9, 0.3);
  Vector out(x.size());
  work->start(x);
  // The second time the products of the records are known.
  for (std::uint32_t round = 0; round < 2; ++round)
    EXPECT_EQ(work->estimate(slot, {x, {1, Purpose::minibatch, 0, round}}, out),
              on.records * static_cast<std::size_t>(on.steps));
  return out;
}

TEST(SpanSolver, AgreesWithThePlainSteps) {
  // Every row of the table that is a linear model.
  std::vector<const char*> models;
  for (const auto& row : problems())
    if (testing::make_case(row.name, 1, 4, 6, 1).problem->as_linear_model() != nullptr)
      models.push_back(row.name);
  ASSERT_GE(models.size(), 2U);
  for (const char* problem : models)
    for (const char* toml : {"", "l2 = 0.7"})
      for (const std::size_t records : {1U, 7U, 8U, 16U})
        for (const double pull : {0.0, 0.4})
          for (const Update kind : {Update::sum, Update::mean, Update::difference}) {
            const Setting on{problem, toml, records, 12, pull, kind};
            const Vector plain = update(on, true, 1);
            const Vector span = update(on, false, 1);
            double size = 0;
            for (const real value : plain) size = std::max(size, std::abs(double{value}));
            ASSERT_GT(size, 0);
            for (std::size_t j = 0; j < plain.size(); ++j)
              ASSERT_NEAR(span[j], plain[j], 200 * testing::rounding * size)
                  << problem << ' ' << toml << ' ' << records << ' ' << pull << " at " << j;
          }
}

// Where a short cut does not pay, or single gradients are clipped, nothing changes, to the bit.
TEST(SpanSolver, LeavesTheRestToThePlainSteps) {
  for (const Setting& on : {Setting{"softmax", "", 40, 12, 0, Update::sum},
                            Setting{"softmax", "", 8, 2, 0, Update::sum}})
    EXPECT_EQ(update(on, true, 0), update(on, false, 0));
}

}  // namespace trilemma::span_solver_test
