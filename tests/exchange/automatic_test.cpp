// exchange.up = "auto" (src/exchange/automatic.hpp).

#include "exchange/automatic.hpp"

#include <gtest/gtest.h>

#include "experiment/plan.hpp"
#include "experiment/read_plan.hpp"
#include "settings/settings.hpp"

namespace trilemma::automatic_test {

UplinkChoice choice(const UplinkFacts& facts) { return automatic_uplink(facts); }

// Ten messages of 100 bytes a rank.
UplinkFacts facts(double sum_bytes, long nodes = 1) {
  return {.ranks = 4, .nodes = nodes, .messages = 10, .message_bytes = 100, .sum_bytes = sum_bytes};
}

TEST(AutomaticUplink, SendsWhatHasFewerBytes) {
  EXPECT_EQ(choice(facts(1000)).uplink, "gather");  // equally many: no sum
  EXPECT_EQ(choice(facts(1000)).reason, UplinkReason::messages_are_fewer);
  EXPECT_EQ(choice(facts(999)).uplink, "reduce");
  EXPECT_EQ(choice(facts(999)).reason, UplinkReason::sums_are_fewer);
  EXPECT_EQ(choice(facts(999, 2)).uplink, "hierarchical");
  EXPECT_EQ(choice(facts(999, 2)).reason, UplinkReason::sums_of_nodes);
  EXPECT_EQ(choice(facts(1000, 2)).uplink, "gather");
}

TEST(AutomaticUplink, GathersOnOneRankAndUnderStrictPrivacy) {
  UplinkFacts one = facts(8);
  one.ranks = 1;
  EXPECT_EQ(choice(one).reason, UplinkReason::one_rank);
  UplinkFacts strict = facts(8);
  strict.is_strict = true;
  EXPECT_EQ(choice(strict).uplink, "gather");
  EXPECT_EQ(choice(strict).reason, UplinkReason::strict);
}

TEST(AutomaticUplink, SaysWhy) {
  EXPECT_EQ(in_words(choice(facts(999, 3))),
            "hierarchical (auto: 10 messages of 100 B a node, a sum has 999 B)");
  EXPECT_EQ(in_words(choice(facts(1e6))),
            "gather (auto: 10 messages of 100 B a rank, a sum has 1 MB)");
  EXPECT_EQ(in_words({.uplink = "overlap", .facts = {}}), "overlap");
}

// The uplink of an experiment with 12 clients and d = 4 + 1 on three ranks, of which one is
// the server.
UplinkChoice of_experiment(std::vector<std::string> overrides, long nodes = 1) {
  const std::string text =
      "name = \"x\"\nclients = 12\nrounds = 3\n[data]\nsource = \"synthetic\"\nrows = 120\n"
      "features = 4\nnonzeros = 2\n";
  const Plan plan = read_plan(Settings::from_text(text, "x.toml", std::move(overrides)));
  return uplink_of(plan, 3, 2, nodes);
}

TEST(AutomaticUplink, KnowsMessagesParticipantsAndSums) {
  const UplinkChoice dense = of_experiment({"method=ldp-sgd", "privacy.sigma=1"});
  EXPECT_EQ(dense.facts.messages, 6);
  EXPECT_EQ(dense.facts.message_bytes, 5 * 4);
  EXPECT_EQ(dense.facts.sum_bytes, 5 * 8);
  EXPECT_EQ(dense.uplink, "reduce");
  EXPECT_EQ(
      of_experiment({"method=ldp-sgd", "privacy.sigma=1", "wire.value=float64"}).facts.sum_bytes,
      5 * 16);
  const UplinkChoice few = of_experiment({"method=ldp-sgd", "privacy.sigma=1",
                                          "participation.kind=fixed-size", "participation.size=2"});
  EXPECT_EQ(few.facts.messages, 1);
  EXPECT_EQ(few.uplink, "gather");
  const std::vector<std::string> ldp{"method=ldp-sgd", "privacy.sigma=1"};
  EXPECT_EQ(of_experiment(ldp, 2).facts.messages, 6);
  EXPECT_EQ(of_experiment(ldp, 2).uplink, "hierarchical");
  const UplinkChoice asked =
      of_experiment({"method=ldp-sgd", "privacy.sigma=1", "exchange.up=overlap"});
  EXPECT_EQ(asked.uplink, "overlap");
  EXPECT_EQ(asked.reason, UplinkReason::asked_for);
}

}  // namespace trilemma::automatic_test
