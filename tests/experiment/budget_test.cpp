// Budgets in place of rounds (src/experiment/budget.hpp), by hand: d = 16 coordinates of 32 bits.

#include "experiment/budget.hpp"

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::budget_test {

using testing::expect_parts;

Plan plan_of(const std::vector<std::string>& overrides) {
  auto all = overrides;
  all.emplace_back("wire.value=float32");
  return read_plan(Settings::from_text(testing::tiny_experiment, "e.toml", all));
}
std::string refused(const std::vector<std::string>& overrides) {
  return testing::refusal([&] { plan_of(overrides); });
}

TEST(Budget, OfUploadsSetsTheRounds) {
  // 512 bits a message without compression, 3 of 16 coordinates with it.
  EXPECT_EQ(plan_of({"method=ldp-sgd", "budget.upload=1kB"}).rounds, 8000 / 512);
  EXPECT_EQ(plan_of({"method=cdp-sgd", "compressor.k=3", "budget.upload=1kB"}).rounds, 8000 / 96);
  EXPECT_EQ(plan_of({"method=ldp-sgd", "budget.upload=512 bit"}).rounds, 1);
}

TEST(Budget, OfABaseGivesWayToTheRoundsOfAFile) {
  const testing::TempFolder folder;
  folder.write("base.toml", testing::tiny_experiment + std::string("[budget]\nupload = \"1kB\"\n"));
  const auto rounds = [&folder](const std::string& text) {
    const auto file = folder.write("e.toml", "base = \"base.toml\"\nmethod = \"ldp-sgd\"\n" + text);
    return read_plan(Settings::from_file(file, {"wire.value=float32"})).rounds;
  };
  EXPECT_EQ(rounds(""), 8000 / 512);
  EXPECT_EQ(rounds("rounds = 5\n"), 5);
  EXPECT_EQ(rounds("rounds = 5\nbudget.upload = \"512 bit\"\n"), 1);
}

TEST(Budget, CountsTheShareOfClientsThatTakePart) {
  const std::vector<std::string> half = {"method=ldp-sgd", "participation.kind=poisson",
                                         "participation.rate=0.5", "budget.upload=1024 bit"};
  EXPECT_EQ(plan_of(half).rounds, 4);
}

TEST(Budget, OfDownloadsAndTheSmallerOfBoth) {
  const std::string down = fmt::format("budget.download={} bit", 16 * sizeof(real) * 8 * 5);
  EXPECT_EQ(plan_of({"method=cdp-sgd", "compressor.k=1", down}).rounds, 5);
  EXPECT_EQ(plan_of({"method=cdp-sgd", "compressor.k=1", down, "budget.upload=96 bit"}).rounds, 3);
  EXPECT_EQ(plan_of({"method=cdp-sgd", "compressor.k=1", down, "budget.upload=1MB"}).rounds, 5);
}

// 1/3 of 10 clients: three messages of 512 bits in nine rounds, and not one round less by rounding.
TEST(Budget, LosesNoRoundToRounding) {
  EXPECT_EQ(plan_of({"method=ldp-sgd", "clients=3", "participation.kind=fixed-size",
                     "participation.size=1", "budget.upload=1536 bit"})
                .rounds,
            9);
}

// Of three coordinates of 16, their numbers included, all four clients hear in every round.
TEST(Budget, CountsACompressedModelForAllClients) {
  const std::vector<std::string> settings = {"method=compressed-gd",   "compressor.kind=identity",
                                             "server.rate=0.1",        "exchange.down=compressed",
                                             "downlink.kind=top-k",    "downlink.k=3",
                                             "downlink.index=fixed",   "participation.kind=poisson",
                                             "participation.rate=0.5", "budget.download=1080 bit"};
  EXPECT_EQ(plan_of(settings).rounds, 1080 / (3 * (32 + 4)));
}

// Four clients have a model each before the first server step, and one of them gets a new one in
// each.
TEST(Budget, CountsTheModelsThatAreHandedOutFirst) {
  const std::size_t model = 16 * sizeof(real) * 8;
  const auto down = [](std::size_t bits) { return fmt::format("budget.download={} bit", bits); };
  EXPECT_EQ(plan_of({"method=fedasync", "budget.upload=1024 bit"}).rounds, 8);
  EXPECT_EQ(plan_of({"method=fedasync", down(3 * model)}).rounds, 8);
  expect_parts(refused({"method=fedasync", down(model)}), {"budget.download", "raise the budget"});
}

// Clients with error memories receive every model, whoever sends; control variates double both
// ways.
TEST(Budget, CountsWhatMethodsSendAndReceive) {
  const std::size_t model = 16 * sizeof(real) * 8;
  const std::vector<std::string> half = {"participation.kind=poisson", "participation.rate=0.5"};
  auto rounds = [&](const std::string& method, const std::string& budget) {
    auto all = half;
    all.push_back("method=" + method);
    all.push_back(budget);
    return plan_of(all).rounds;
  };
  EXPECT_EQ(rounds("fedavg", fmt::format("budget.download={} bit", 4 * model)), 8);
  EXPECT_EQ(rounds("fed-alpha-normec", fmt::format("budget.download={} bit", 4 * model)), 4);
  EXPECT_EQ(rounds("scaffold", fmt::format("budget.download={} bit", 4 * model)), 4);
  EXPECT_EQ(rounds("scaffold", "budget.upload=2048 bit"), 4);
}

TEST(Budget, OfTheFileGivesWayToRoundsOfTheCommandLine) {
  const std::string text = std::string(testing::tiny_experiment) + "[budget]\nupload = \"1kB\"\n";
  const Plan plan = read_plan(Settings::from_text(text, "e.toml", {"rounds=3"}));
  EXPECT_EQ(plan.rounds, 3);
  EXPECT_EQ(read_plan(Settings::from_text(plan.config, "config")).rounds, 3);
}

// What is resolved has the rounds, and is read again as the same experiment.
TEST(Budget, BecomesRoundsInTheResolvedConfiguration) {
  const Plan plan = plan_of({"method=ldp-sgd", "budget.upload=1kB"});
  const Plan again = read_plan(Settings::from_text(plan.config, "config"));
  EXPECT_EQ(again.rounds, 15);
  EXPECT_EQ(again.config, plan.config);
  EXPECT_EQ(again.fingerprint, plan.fingerprint);
  EXPECT_EQ(plan_of({"method=ldp-sgd", "rounds=15"}).fingerprint, plan.fingerprint);
}

// 7 units a server step; the time is gone from what is resolved, also where rounds were given.
TEST(Budget, OfSimulatedTimeBecomesRoundsToo) {
  const std::string text = std::string(testing::tiny_experiment) + "[budget]\ntime = 75\n";
  for (const auto& [words, rounds] :
       {std::pair<std::vector<std::string>, long>{{"method=favano"}, 10},
        {{"method=favano", "rounds=3"}, 3}}) {
    const Plan plan = read_plan(Settings::from_text(text, "e.toml", words));
    EXPECT_EQ(plan.rounds, rounds);
    EXPECT_EQ(plan.config.find("time = 75"), std::string::npos);
    const Plan again = read_plan(Settings::from_text(plan.config, "config"));
    EXPECT_EQ(again.rounds, rounds);
    EXPECT_EQ(again.config, plan.config);
  }
}

TEST(Budget, IsRefusedWhereItCannotSetTheRounds) {
  expect_parts(refused({"method=ldp-sgd", "budget.upload=511 bit"}),
               {"budget.upload = '511 bit'", "512 bit per client", "raise the budget"});
  expect_parts(refused({"budget.upload=much"}), {"budget.upload = 'much'", "1MB"});
  expect_parts(refused({"budget.upload=1mb"}),
               {"budget.upload = '1mb'", "did you mean MB or Mbit?"});
  expect_parts(refused({"budget.upload='100'"}), {"budget.upload = '100'", "the unit is missing"});
  expect_parts(refused({"budget.upload=100"}), {"budget.upload = 100", "the unit is missing"});
  expect_parts(refused({"method=local", "budget.upload=1MB"}),
               {"budget.upload", "nothing is sent in this direction", "set rounds"});
  expect_parts(refused({"method=ldp-sgd", "budget.upload=1000TB"}),
               {"at most 4000000000", "lower"});
  expect_parts(refused({"method=favano", "server.output=mean", "budget.upload=1MB"}),
               {"budget.upload", "server.output = mean", "set rounds, or budget.time"});
  expect_parts(
      refused({"method=fedcompass", "budget.upload=1MB"}),
      {"budget.upload", "fedcompass contacts a different number", "set rounds, or budget.time"});
  const std::string with_budget =
      std::string(testing::tiny_experiment) + "[budget]\nupload = \"1MB\"\n";
  EXPECT_EQ(read_plan(Settings::from_text(with_budget, "e.toml",
                                          {"method=favano", "server.output=mean", "rounds=7"}))
                .rounds,
            7);
  expect_parts(refused({"rounds=7", "budget.upload=1MB"}), {"rounds = 7", "leave one of them out"});
}

}  // namespace trilemma::budget_test
