// Combinations that are refused before any data is read (src/experiment/read_plan.cpp): in one
// sentence with file, line, key, value and a remedy.

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "federation/assembly.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::plan_refusal_test {

using testing::expect_parts;

std::string refused(const std::vector<std::string>& overrides) {
  return testing::refusal(
      [&] { read_plan(Settings::from_text(testing::tiny_experiment, "e.toml", overrides)); });
}
std::string refused_text(const std::string& toml) {
  return testing::refusal([&] { read_plan(Settings::from_text(toml, "e.toml")); });
}

TEST(PlanRefuses, MoreCoordinatesThanTheModelHas) {
  expect_parts(refused({"compressor.k=17"}), {"compressor.k = 17", "d = 16"});
}

TEST(PlanRefuses, MoreClientsThanRows) {
  expect_parts(refused({"clients=61"}), {"clients = 61", "60 records"});
}

TEST(PlanRefuses, BatchesAboveTheRecordsOfAClient) {
  expect_parts(refused({"local.batch=16"}), {"local.batch = 16", "at most 15 of the 60 records"});
}

// Where the number of rows is known only after reading: still before the first round.
TEST(PlanRefuses, BatchesAndClientsOnceTheDataAreRead) {
  const testing::TempFolder folder;
  folder.write("train", "1 1:1\n-1 2:1\n1 1:1\n-1 2:1\n1 1:1\n");
  const std::string toml =
      "clients = 2\n[data]\nsource = \"libsvm\"\ntrain = \"train\"\ntest = \"\"\nfeatures = 2\n"
      "[privacy]\nsigma = 1.0\n[compressor]\nk = 1\n";
  const auto run = [&](const std::vector<std::string>& overrides) {
    Plan plan = read_plan(Settings::from_text(toml, "e.toml", overrides));
    assemble(plan, {.clients = static_cast<int>(plan.clients)}, folder.path());
  };
  EXPECT_NO_THROW(run({"local.batch=2"}));
  expect_parts(testing::refusal([&] { run({"local.batch=3"}); }), {"local.batch = 3", "2 records"});
  expect_parts(testing::refusal([&] {
                 run({"local.batch=1", "clients=6"});
               }),
               {"clients = 6", "5 records"});
  expect_parts(testing::refusal([&] {
                 run({"local.batch=1", "data.rows=6"});
               }),
               {"data.rows = 6", "5 records"});
}

TEST(PlanRefuses, ProblemsOnRecordsOfAnotherKind) {
  const std::string libsvm = "method = \"fedavg\"\n[data]\nsource = \"libsvm\"\nfeatures = 9\n";
  const auto with = [&](const std::vector<std::string>& overrides) {
    return read_plan(Settings::from_text(libsvm, "e.toml", overrides)).problem->description();
  };
  const auto sentence = [&](const std::vector<std::string>& overrides) {
    return testing::refusal([&] { with(overrides); });
  };
  for (const char* kind : {"softmax", "network", "mean", "cnn"})
    expect_parts(sentence({fmt::format("problem.kind={}", kind)}),
                 {"needs dense records", "data.classes", "data.layout = \"dense\""});
  expect_parts(sentence({"problem.kind=linear"}), {"real targets", "data.classes = 0"});
  for (const char* kind : {"softmax", "network", "cnn", "layers"})
    expect_parts(sentence({fmt::format("problem.kind={}", kind), "data.classes=0"}),
                 {"needs classes", "data.classes", "linear"});
  expect_parts(sentence({"problem.kind=logistic", "data.classes=3"}), {"two classes", "softmax"});
  EXPECT_EQ(with({}).substr(0, 8), "logistic");
  EXPECT_EQ(with({"data.classes=3"}).substr(0, 7), "network");
  EXPECT_EQ(with({"data.classes=0"}).substr(0, 6), "linear");
  EXPECT_EQ(with({"data.layout=dense"}).substr(0, 7), "network");
}

TEST(PlanRefuses, SigmaAndEpsilonTogether) {
  expect_parts(refused({"privacy.epsilon=1.0", "privacy.delta=1e-3"}),
               {"privacy.sigma", "privacy.epsilon"});
}

TEST(PlanRefuses, NoNoiseWhereTheMethodHasNoise) {
  const std::string bare = "[data]\nrows = 600\n";
  expect_parts(refused_text(bare), {"privacy", "no noise"});
  expect_parts(refused_text(bare + "[privacy]\nepsilon = 1.0\n"), {"privacy.delta"});
  expect_parts(refused_text(bare + "[privacy]\ndelta = 0.1\n"), {"privacy.epsilon"});
}

TEST(PlanRefuses, EpsilonWithoutANormBound) {
  expect_parts(refused_text("[bound]\nkind = \"none\"\n[privacy]\nepsilon = 1.0\ndelta = 1e-3\n"),
               {"e.toml:4", "privacy.epsilon", "clip-record"});
}

TEST(PlanRefuses, UnknownAndMisspeltKeys) {
  expect_parts(refused_text("\nclient = 3\n"), {"e.toml:2", "client", "did you mean \"clients\"?"});
  expect_parts(refused_text("[local]\nbatchsize = 3\n"), {"e.toml:2", "local.batch"});
  expect_parts(refused_text("[methods.cdp-sdg]\nserver.rate = 1.0\n"), {"e.toml:1", "cdp-sgd"});
  expect_parts(refused_text("[methods.cdp-sgd]\nserver.rat = 1.0\n"), {"e.toml:2", "server.rate"});
  expect_parts(refused_text("[modes.autors]\nserver.rate = 1.0\n"), {"e.toml:1", "authors"});
}

TEST(PlanRefuses, KeysOfTheCommandLineWithoutEffect) {
  expect_parts(refused({"method=gd", "local.batch=3"}), {"--set local.batch"});
  expect_parts(refused({"method=ldp-sgd", "compressor.k=3"}), {"--set compressor.k"});
  expect_parts(refused({"method=cdp-sgd", "shift.step=0.1"}), {"--set shift.step"});
}

TEST(PlanRefuses, UnknownNamesOfParts) {
  expect_parts(refused({"method=soteria-sgd"}), {"method", "soteriafl-sgd"});
  expect_parts(refused({"compressor.kind=randk"}), {"compressor.kind", "rand-k"});
  expect_parts(refused({"local.sampling=poison"}), {"local.sampling", "poisson"});
  expect_parts(refused({"bound.kind=clip"}), {"bound.kind", "clip-record"});
  expect_parts(refused({"partition.kind=sorted"}), {"partition.kind", "label-sorted"});
  expect_parts(refused({"mode=private2"}), {"mode", "private"});
}

TEST(PlanRefuses, ValuesOutOfRange) {
  expect_parts(refused({"rounds=0"}), {"rounds = 0"});
  expect_parts(refused({"clients=0"}), {"clients = 0"});
  expect_parts(refused({"server.rate=-1"}), {"server.rate = -1"});
  expect_parts(refused({"privacy.sigma=-0.1"}), {"privacy.sigma = -0.1"});
  expect_parts(refused({"local.batch=0"}), {"local.batch = 0"});
  expect_parts(refused({"seed=-1"}), {"seed = -1"});
  expect_parts(refused({"method=ldp-svrg", "local.snapshot_probability=1.5"}),
               {"local.snapshot_probability = 1.5", "batch/records"});
}

TEST(PlanRefuses, TwoStarts) {
  const testing::TempFolder folder;
  expect_parts(refused({"start.file=" + folder.write("x.txt", "1\n")}),
               {"start.scale", "start.file"});
}

TEST(PlanRefuses, ProblemsThatDoNotFitTheData) {
  const auto run = [](const std::vector<std::string>& overrides) {
    testing::Federation federation(testing::tiny_experiment, overrides);
  };
  expect_parts(testing::refusal([&] { run({"problem.kind=network"}); }),
               {"problem.kind = 'network'", "dense"});
}

}  // namespace trilemma::plan_refusal_test
