// Settings that are left to the theory (src/experiment/theory.cpp): the values that follow, the
// constants behind them, and refusals.

#include "experiment/theory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::theory_test {

using testing::expect_parts;
using Words = std::vector<std::string>;

// Ten clients of 3,256 generated records and d = 124, as for a9a in the specification.
constexpr const char* large = R"(
clients = 10
[data]
rows = 32560
test_rows = 10
features = 123
nonzeros = 4
[compressor]
k = 6
[bound]
threshold = 0.5
[privacy]
epsilon = 5
delta = 1e-3
)";

Plan plan_of(const std::string& toml, const Words& overrides) {
  return read_plan(Settings::from_text(toml, "e.toml", overrides));
}
std::string refused(const std::string& toml, const Words& overrides) {
  return testing::refusal([&] { plan_of(toml, overrides); });
}

TEST(TheorySettings, GiveTheFiguresOfTheSpecification) {
  const Words svrg{
      "method=soteriafl-svrg", "local.batch=theory",  "local.snapshot_probability=theory",
      "server.rate=theory",    "server.smoothness=1", "rounds=theory",
      "privacy.epsilon=1"};
  const Plan plan = plan_of(large, svrg);
  EXPECT_EQ(plan.batch, 54);
  EXPECT_DOUBLE_EQ(*plan.snapshot_probability, 54.0 / 3256);
  EXPECT_NEAR(plan.step_of_memory(), 0.04779819, 5e-9);
  EXPECT_NEAR(*plan.method.theory.rate, 0.0041368380, 5e-11);
  EXPECT_EQ(plan.rounds, 1299);
  EXPECT_DOUBLE_EQ(*plan.method.theory.suboptimality, std::numbers::ln2);
  for (const auto& [epsilon, batch] : {std::pair("1", 10), {"5", 51}, {"10", 103}})
    EXPECT_EQ(plan_of(large, {"method=soteriafl-sgd", "local.batch=theory", "server.smoothness=1",
                              std::string("privacy.epsilon=") + epsilon})
                  .batch,
              batch);
  EXPECT_EQ(plan_of(large, {"method=soteriafl-saga", "local.batch=theory"}).batch, 659);
}

// The resolved configuration has the numbers; read again, it has the same text and fingerprint, and
// nothing is left to the theory.
TEST(TheorySettings, AreNumbersInTheResolvedConfiguration) {
  const Words words{"method=soteriafl-svrg", "local.batch=theory",
                    "server.rate=theory",    "local.snapshot_probability=theory",
                    "rounds=theory",         "start.scale=0"};
  const Plan plan = plan_of(large, words);
  EXPECT_TRUE(plan.method.theory.smoothness_from_records);
  for (const auto& line :
       {fmt::format("rounds = {}\n", plan.rounds), std::string("batch = 54\n"),
        std::string("smoothness_from = 'records'\n"), fmt::format("suboptimality = 0.693147")})
    EXPECT_NE(plan.config.find(line), std::string::npos) << line << plan.config;
  const Plan again = read_plan(Settings::from_text(plan.config, "again"));
  EXPECT_EQ(again.config, plan.config);
  EXPECT_EQ(again.fingerprint, plan.fingerprint);
  EXPECT_EQ(again.rounds, plan.rounds);
  EXPECT_EQ(*again.method.theory.rate, *plan.method.theory.rate);
  EXPECT_TRUE(again.method.theory.smoothness_from_records);
  // Without theory, no key is added to the configuration.
  EXPECT_EQ(plan_of(large, {"method=soteriafl-svrg"}).config.find("smoothness"), std::string::npos);
}

// Two records of norms 5 and 2 after no scaling: L = 25/4 + 2 * 0.1. SGD with one client and no
// compression: tau = 1, eta = 1/(3 L).
TEST(TheorySettings, SmoothnessFromTheRecords) {
  const testing::TempFolder folder;
  folder.write("train", "1 1:3 2:4\n-1 2:2\n");
  const std::string toml =
      "clients = 1\nmethod = \"soteriafl-gd\"\n[data]\nsource = \"libsvm\"\ntrain = \"train\"\n"
      "test = \"\"\nfeatures = 2\nscaling = \"none\"\nbias = false\n[problem]\nlambda = 0.1\n"
      "[compressor]\nkind = \"identity\"\n[privacy]\nsigma = 1.0\n[server]\nrate = \"theory\"\n";
  DataFolder data(folder.path());
  const Plan plan = read_plan(Settings::from_text(toml, "e.toml"), &data);
  EXPECT_NEAR(*plan.method.theory.smoothness, 6.45, 1e-6);
  EXPECT_NEAR(*plan.method.theory.rate, 1 / (3 * 6.45), 1e-7);
  expect_parts(refused(toml, {}), {"e.toml", "left to the theory", "data"});
  const Plan given = read_plan(Settings::from_text(toml, "e.toml", {"server.smoothness=2"}), &data);
  EXPECT_DOUBLE_EQ(*given.method.theory.rate, 1.0 / 6);
  EXPECT_FALSE(given.method.theory.smoothness_from_records);
}

TEST(TheorySettings, AreRefusedWithoutATheory) {
  const Words methods{"ldp-sgd", "cdp-sgd", "gd", "fedavg", "favano"};
  for (const auto& method : methods)
    for (const char* key : {"rounds", "local.batch", "local.snapshot_probability", "server.rate"})
      expect_parts(
          refused(testing::tiny_experiment, {"method=" + method, std::string(key) + "=theory"}),
          {key, "theory", "method " + method, "set a number"});
}

TEST(TheorySettings, AreRefusedWithoutTheirConstants) {
  const std::string tiny = testing::tiny_experiment;  // privacy.sigma, start.scale = 0.2
  expect_parts(refused(tiny, {"method=soteriafl-sgd", "local.batch=theory"}),
               {"local.batch", "privacy.epsilon and privacy.delta"});
  expect_parts(refused(tiny, {"method=soteriafl-sgd", "rounds=theory"}),
               {"rounds", "f(x^0) - min f", "server.suboptimality"});
  expect_parts(refused(tiny, {"method=soteriafl-gd", "server.rate=theory",
                              "server.smoothness_from=settings"}),
               {"server.rate", "needs the smoothness constant L", "set server.smoothness"});
  expect_parts(refused(large, {"method=soteriafl-sgd", "local.batch=theory", "bound.kind=none",
                               "privacy.epsilon=1"}),
               {"bound"});
  expect_parts(refused(large, {"method=soteriafl-svrg", "server.rate=theory",
                               "local.snapshot_probability=0"}),
               {"server.rate", "snapshot"});
  expect_parts(refused(large, {"method=soteriafl-gd", "server.rate=bananas"}),
               {"server.rate", "a number above 0 or \"theory\""});
}

// L from the records is outside the claim, and privacy.strict forbids it.
TEST(TheorySettings, SmoothnessFromRecordsIsOutsideTheClaim) {
  const Words words{"method=soteriafl-gd", "server.rate=theory"};
  const Claim claim = make_claim(plan_of(large, words), 1.0, 3256);
  EXPECT_NE(claim.sentence.find("the smoothness constant"), std::string::npos) << claim.sentence;
  EXPECT_EQ(std::ranges::count_if(claim.record.preprocessing,
                                  [](const std::string& step) {
                                    return step.find("server.smoothness_from") != std::string::npos;
                                  }),
            1);
  Words given(words);
  given.emplace_back("server.smoothness=1");
  EXPECT_EQ(make_claim(plan_of(large, given), 1.0, 3256).sentence.find("smoothness"),
            std::string::npos);
  Words strict(words);
  strict.insert(strict.end(), {"privacy.strict=true", "data.scaling=none"});
  expect_parts(refused(large, strict),
               {"server.smoothness_from", "norms of all records", "set server.smoothness"});
  strict.emplace_back("server.smoothness=1");
  EXPECT_NO_THROW(plan_of(large, strict));
}

// Settings of the corollary have a bound; each other setting says why it has none.
TEST(TheoryRecord, SaysWhetherABoundApplies) {
  const Words words{"method=soteriafl-svrg", "local.batch=theory",       "server.rate=theory",
                    "server.smoothness=1",   "server.suboptimality=0.7", "rounds=100"};
  const auto record = [&](const Words& more) {
    Words all(words);
    all.insert(all.end(), more.begin(), more.end());
    return *theory_record(plan_of(large, all), 0.1, 3256);
  };
  const TheoryRecord found = record({});
  EXPECT_EQ(found.status, BoundStatus::holds);
  const TheoryCase c{.corollary = Corollary::svrg,
                     .clients = 10,
                     .records = 3256,
                     .dimension = 124,
                     .omega = 124.0 / 6 - 1,
                     .threshold = 0.5,
                     .batch = 54,
                     .snapshot = 54.0 / 3256};
  EXPECT_DOUBLE_EQ(found.bound, utility_bound(c, theory_rate(c), 100, 0.1, 0.7));
  EXPECT_EQ(record({"server.rate=0.0042"}).status, BoundStatus::holds);
  EXPECT_EQ(record({"server.rate=0.3"}).status, BoundStatus::step_too_large);
  EXPECT_TRUE(std::isnan(record({"server.rate=0.3"}).bound));
  EXPECT_EQ(record({"shift.step=0.1"}).status, BoundStatus::other_shift_step);
  EXPECT_EQ(record({"bound.kind=smooth-clip-record", "privacy.calibration=paper"}).status,
            BoundStatus::other_bound);
  EXPECT_EQ(record({"bound.kind=clip-estimator", "privacy.calibration=paper"}).status,
            BoundStatus::other_bound);
  EXPECT_EQ(record({"local.sampling=with-replacement", "privacy.calibration=paper"}).status,
            BoundStatus::other_sampling);
  EXPECT_EQ(record({"exchange.down=compressed"}).status, BoundStatus::compressed_down);
  const Words bare{"method=soteriafl-sgd"};
  EXPECT_EQ(theory_record(plan_of(large, bare), 0.1, 3256)->status, BoundStatus::no_smoothness);
  EXPECT_EQ(theory_record(plan_of(large, {"method=soteriafl-sgd", "server.rate=0.001",
                                          "server.smoothness=1", "start.scale=1"}),
                          0.1, 3256)
                ->status,
            BoundStatus::no_suboptimality);
  EXPECT_FALSE(theory_record(plan_of(large, {"method=ldp-sgd"}), 0.1, 3256));
}

}  // namespace trilemma::theory_test
