// When a run is evaluated (src/experiment/plan.hpp).

#include <gtest/gtest.h>

#include "experiment/plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::evaluation_plan_test {

EvaluationPlan read(const std::string& toml, const std::vector<std::string>& words = {},
                    long nodes = 0) {
  return read_evaluation(Settings::from_text("[evaluate]\n" + toml, "e.toml", words), 100, nodes);
}

std::vector<long> due(const EvaluationPlan& plan) {
  std::vector<long> rounds;
  for (long done = 1; done < 100; ++done)
    if (plan.is_due(done)) rounds.push_back(done);
  return rounds;
}

TEST(EvaluationPlan, EverySoManyRounds) {
  EXPECT_EQ(due(read("")).size(), 99U);
  EXPECT_EQ(due(read("every = 40")), (std::vector<long>{40, 80}));
  EXPECT_TRUE(due(read("every = 0")).empty());
}

TEST(EvaluationPlan, AListOfRounds) {
  const std::vector<long> rounds{5, 22, 86};
  EXPECT_EQ(due(read("at = [5, 22, 86]")), rounds);
  EXPECT_EQ(due(read("at = \"5-22-86\"")), rounds);
  EXPECT_EQ(due(read("at = [5, 22, 86, 100]")), rounds);
  EXPECT_EQ(due(read("at = []\nevery = 50")), (std::vector<long>{50}));
}

// A word of the command line takes the place of the file's.
TEST(EvaluationPlan, TheCommandLineHolds) {
  EXPECT_EQ(due(read("every = 40", {"evaluate.at=[7]"})), (std::vector<long>{7}));
  EXPECT_EQ(due(read("at = [7]", {"evaluate.every=40"})), (std::vector<long>{40, 80}));
}

TEST(EvaluationPlan, SingleNodes) {
  EXPECT_EQ(read("", {}, 12).nodes, 0);
  EXPECT_EQ(read("nodes = 3", {}, 12).nodes, 3);
  EXPECT_EQ(read("nodes = \"all\"", {}, 12).nodes, 12);
  testing::expect_parts(testing::refusal([] { read("nodes = 13", {}, 12); }),
                        {"e.toml:2", "nodes", "there are 12 nodes only"});
}

TEST(EvaluationPlan, Refuses) {
  using testing::expect_parts;
  using testing::refusal;
  expect_parts(refusal([] { read("at = [5]\nevery = 2"); }),
               {"e.toml:2", "evaluate.at", "evaluate.every", "one of the two"});
  expect_parts(refusal([] {
                 read("", {"evaluate.at=[5]", "evaluate.every=2"});
               }),
               {"evaluate.at", "evaluate.every"});
  for (const char* list : {"at = [5, 5]", "at = [6, 5]"})
    expect_parts(refusal([&] { read(list); }), {"e.toml:2", "evaluate.at", "ascend"});
  expect_parts(refusal([] { read("at = [5, 101]"); }), {"evaluate.at", "100 rounds"});
  expect_parts(refusal([] { read("at = [0]"); }), {"evaluate.at", "whole numbers"});
}

}  // namespace trilemma::evaluation_plan_test
