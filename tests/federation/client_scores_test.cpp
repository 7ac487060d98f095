// Scores of the clients' own models on the records they hold out (src/federation/evaluator.cpp;
// accuracy averaged over clients).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::client_scores_test {

// Every client has a model of its own: a multiple of the common one.
class OwnModels final : public LocalWork {
 public:
  explicit OwnModels(std::vector<Vector> models) : models_(std::move(models)) {}
  std::size_t estimate(std::size_t, const Task&, View) override { return 0; }
  ConstView personal_model(std::size_t slot, ConstView, Vector&) const override {
    return models_[slot];
  }

 private:
  std::vector<Vector> models_;
};

Dataset one_feature(const std::vector<real>& target) {
  Dataset data;
  DenseRows rows;
  rows.columns = 1;
  rows.value.assign(target.size(), real{1});
  data.rows = rows;
  data.label.assign(target.size(), 0);
  data.classes = 0;
  data.target.assign(target.begin(), target.end());
  data.prepare();
  return data;
}

// Predictions are the model itself. Client 0: targets 1 and 3, model 1, errors 0 and 2; client 1:
// target 0, model 4, error 4; client 2 holds nothing out. The common model 2 errs by 1, 1 and 2.
TEST(ClientScores, OfRealTargetsByHand) {
  const auto problem = testing::make_problem("linear", {1, 0});
  const Dataset shard = one_feature({1});
  TestRecords test;
  test.held_out = {one_feature({1, 3}), one_feature({0}), one_feature({})};
  test.are_held_out = true;
  test.classes = 0;
  const OwnModels work({Vector{1}, Vector{4}, Vector{0}});
  Settings settings = Settings::empty();
  const auto finetuning = row(finetunings(), "none").make(settings, 1, *problem);
  MetricLog metric_log;
  Evaluator evaluator({.problem = problem.get(),
                       .shards = {&shard, &shard, &shard},
                       .place = {.clients = 3},
                       .test = std::move(test),
                       .work = &work,
                       .shape = plain_shape(1, 3),
                       .finetuning = finetuning.get(),
                       .metric_log = &metric_log});
  Ranks ranks(Placement{});
  const Metrics found = evaluator.evaluate(Vector{2}, ranks);
  EXPECT_DOUBLE_EQ(found.test_error, std::sqrt((1 + 1 + 4) / 3.0));
  EXPECT_TRUE(std::isnan(found.accuracy));
  const double first = std::sqrt(2.0);
  EXPECT_DOUBLE_EQ(found.clients.mean, (first + 4) / 2);
  EXPECT_DOUBLE_EQ(found.clients.weighted, (2 * first + 4) / 3);
  EXPECT_DOUBLE_EQ(found.clients.tenth, first);
  EXPECT_DOUBLE_EQ(found.clients.median, first);
  EXPECT_DOUBLE_EQ(found.clients.ninetieth, 4);
  EXPECT_TRUE(std::isnan(found.finetuned.mean));
}

// Half squared errors of the clients' own models over the records they train on. Client 0: targets
// 1 and 5, model 1, loss (0 + 8) / 2 = 4; client 1: target 2, model 4, loss 2; client 2 holds
// nothing out and is left out, as in the mean of the scores.
TEST(ClientScores, TrainingLossByHand) {
  const auto problem = testing::make_problem("linear", {1, 0}, "l2 = 0.5");
  const std::vector<Dataset> shard = {one_feature({1, 5}), one_feature({2}), one_feature({9})};
  const OwnModels work({Vector{1}, Vector{4}, Vector{0}});
  Settings settings = Settings::empty();
  const auto finetuning = row(finetunings(), "none").make(settings, 1, *problem);
  for (const bool has_models : {true, false}) {
    TestRecords test;
    test.held_out = {one_feature({1, 3}), one_feature({0}), one_feature({})};
    test.are_held_out = true;
    test.classes = 0;
    MetricLog metric_log;
    Evaluator evaluator({.problem = problem.get(),
                         .shards = {&shard[0], &shard[1], &shard[2]},
                         .place = {.clients = 3},
                         .test = std::move(test),
                         .work = &work,
                         .shape = plain_shape(1, 3),
                         .finetuning = finetuning.get(),
                         .metric_log = &metric_log,
                         .has_model_of_each = has_models});
    Ranks ranks(Placement{});
    const double loss = evaluator.evaluate(Vector{2}, ranks).client_training_loss;
    if (has_models)
      EXPECT_DOUBLE_EQ(loss, (4 + 2) / 2.0);
    else
      EXPECT_TRUE(std::isnan(loss));
    EXPECT_TRUE(std::isnan(evaluator.evaluate(Vector{2}, ranks, false).client_training_loss));
  }
}

// From the start the losses are log 2, and training alone on its own records a client fits them
// better than the common model does.
TEST(ClientScores, TrainingLossesOfMethodsWithOwnModels) {
  for (const char* method : {"pmtl", "local", "pp-sgd", "naive-dp-mtl"}) {
    testing::Federation f(testing::tiny_experiment, {"partition.held_out=0.4", "start.scale=0",
                                                     fmt::format("method={}", method)});
    EXPECT_NEAR(f.evaluate().client_training_loss, std::log(2.0), 1e-6) << method;
    f.run(10);
    EXPECT_NE(f.evaluate().client_training_loss, std::log(2.0)) << method;
  }
  testing::Federation alone(testing::tiny_experiment,
                            {"partition.held_out=0.4", "method=local", "local.rate=1"});
  alone.run(10);
  EXPECT_LT(alone.evaluate().client_training_loss, 0.9 * alone.evaluate().objective);
  testing::Federation common(testing::tiny_experiment, {"partition.held_out=0.4", "method=fedavg"});
  EXPECT_TRUE(std::isnan(common.evaluate().client_training_loss));
}

// A target that was divided by 3: errors are reported in the original units.
TEST(ClientScores, AreInTheUnitsOfTheSource) {
  const auto problem = testing::make_problem("linear", {1, 0});
  const Dataset shard = one_feature({1});
  TestRecords test;
  test.held_out = {one_feature({1, 3})};
  test.held_out[0].target_scale = 3;
  test.are_held_out = true;
  test.classes = 0;
  const OwnModels work({Vector{1}});
  Settings settings = Settings::empty();
  const auto finetuning = row(finetunings(), "none").make(settings, 1, *problem);
  MetricLog metric_log;
  Evaluator evaluator({.problem = problem.get(),
                       .shards = {&shard},
                       .place = {.clients = 1},
                       .test = std::move(test),
                       .work = &work,
                       .shape = plain_shape(1, 1),
                       .finetuning = finetuning.get(),
                       .metric_log = &metric_log});
  Ranks ranks(Placement{});
  const Metrics found = evaluator.evaluate(Vector{2}, ranks);
  EXPECT_DOUBLE_EQ(found.test_error, 3);
  EXPECT_DOUBLE_EQ(found.clients.mean, 3 * std::sqrt(2.0));
}

// A fifth of each client's records is held out: the rest is trained on, and both are disjoint.
TEST(ClientScores, HeldOutRecordsAreNotTrainedOn) {
  testing::Federation all(testing::tiny_experiment);
  testing::Federation split(testing::tiny_experiment, {"partition.held_out=0.2"});
  ASSERT_EQ(all.parts.shards.size(), split.parts.shards.size());
  for (std::size_t c = 0; c < all.parts.shards.size(); ++c) {
    EXPECT_EQ(all.parts.shards[c].size(), 15U);
    EXPECT_EQ(split.parts.shards[c].size(), 12U);
  }
  EXPECT_FALSE(std::isnan(split.evaluate().clients.mean));
  EXPECT_TRUE(std::isnan(all.evaluate().clients.mean));
}

// Without models of their own the clients score with the common one, and the mean by records is the
// accuracy.
TEST(ClientScores, OfTheCommonModelAreItsAccuracy) {
  testing::Federation f(testing::tiny_experiment, {"partition.held_out=0.4", "method=fedavg"});
  f.run(5);
  const Metrics found = f.evaluate();
  EXPECT_NEAR(found.clients.weighted, found.accuracy, 1e-12);
}

// The billboard and the models of PMTL are not the same.
TEST(ClientScores, SeeTheClientsOwnModels) {
  testing::Federation f(testing::tiny_experiment,
                        {"partition.held_out=0.4", "method=pmtl", "partition.kind=label-sorted",
                         "privacy.sigma=3", "local.pull=0", "local.rate=1"});
  f.run(10);
  const Metrics found = f.evaluate();
  EXPECT_GT(found.clients.weighted, found.accuracy);
}

// The last ones in the order of the source, whatever the order of the client.
TEST(ClientScores, TheLastRecordsAreHeldOut) {
  testing::Federation all(testing::tiny_experiment, {"partition.kind=contiguous"});
  testing::Federation split(
      testing::tiny_experiment,
      {"partition.kind=contiguous", "partition.held_out=0.2", "partition.held_out_by=last"});
  const auto& before = std::get<SparseRows>(all.parts.shards[1].rows);
  const auto& after = std::get<SparseRows>(split.parts.shards[1].rows);
  ASSERT_EQ(after.rows(), 12U);
  ASSERT_TRUE(before.are_grouped() && after.are_grouped());
  const auto& columns = before.groups.column;
  ASSERT_LT(after.groups.column.size(), columns.size());
  EXPECT_TRUE(std::equal(after.groups.column.begin(), after.groups.column.end(), columns.begin()));
  const PartitionedData shuffled = partition_records(
      read_plan(Settings::from_text(testing::tiny_experiment, "tiny",
                                    {"partition.held_out=0.2", "partition.held_out_by=last"})),
      "");
  for (std::size_t c = 0; c < 4; ++c) {
    const auto& kept = shuffled.partition.client[c];
    EXPECT_EQ(shuffled.test[c].size(), 3U);
    EXPECT_LT(*std::max_element(kept.begin(), kept.end()), shuffled.test[c].front());
  }
}

}  // namespace trilemma::client_scores_test
