// The nodes of ranks (src/comm/node_map.hpp): requested blocks, and the placement of a launcher.

#include "comm/node_map.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/check.hpp"
#include "comm/collectively.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::node_map_test {

using testing::expect_parts;
using testing::refusal;
using Nodes = std::vector<std::int64_t>;
using Hosts = std::vector<std::string>;

// Environment variables that are unset at the end of a test.
class NodeMap : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name :
         {"RANKS", "NODES", "CORES_PER_RANK", "THREADS_PER_CORE", "PLACEMENT_CHECK"})
      unsetenv((std::string("TRILEMMA_") + name).c_str());
  }
  static void ask(const char* name, const char* value) {
    setenv((std::string("TRILEMMA_") + name).c_str(), value, 1);
  }
};

TEST_F(NodeMap, AsksForEqualBlocksTheLargerOnesFirst) {
  EXPECT_EQ(asked_nodes({.ranks = 4, .nodes = 2}), (Nodes{0, 0, 1, 1}));
  EXPECT_EQ(asked_nodes({.ranks = 5, .nodes = 2}), (Nodes{0, 0, 0, 1, 1}));
  EXPECT_EQ(asked_nodes({.ranks = 10, .nodes = 4}), (Nodes{0, 0, 0, 1, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(asked_nodes({.ranks = 3, .nodes = 3}), (Nodes{0, 1, 2}));
  EXPECT_EQ(asked_nodes({.ranks = 3, .nodes = 1}), (Nodes{0, 0, 0}));
  EXPECT_TRUE(asked_nodes({.ranks = 3}).empty());
}

TEST_F(NodeMap, NumbersNodesInTheOrderOfTheRanks) {
  EXPECT_EQ(nodes_of({"b", "b", "a"}), (Nodes{0, 0, 1}));
  EXPECT_EQ(nodes_of({"b", "a", "b", "c"}), (Nodes{0, 1, 0, 2}));
}

TEST_F(NodeMap, SaysHowManyRanksANodeHas) {
  EXPECT_EQ(nodes_in_words({0, 0, 0, 1}), "3 + 1");
  EXPECT_EQ(nodes_in_words({0}), "1");
  EXPECT_EQ(nodes_in_words({0, 1, 0, 1}), "2 + 2, not in blocks");
  EXPECT_EQ(nodes_in_words({0, 1, 2, 3, 4, 5, 6, 7, 8}), "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ...");
}

TEST_F(NodeMap, ComparesWhatIsObtainedRankByRank) {
  const AskedPlacement two_and_two{.ranks = 4, .nodes = 2};
  EXPECT_EQ(placement_problem(two_and_two, {"a", "a", "b", "b"}), "");
  for (const Hosts& hosts :
       {Hosts{"a", "a", "a", "b"}, Hosts{"a", "b", "b", "b"}, Hosts{"a", "b", "a", "b"},
        Hosts{"a", "a", "a", "a"}, Hosts{"a", "a", "b", "c"}, Hosts{"a", "b", "b", "a"}})
    EXPECT_NE(placement_problem(two_and_two, hosts), "");
  // The requested number of blocks of one rank, but two nodes for four.
  EXPECT_NE(placement_problem({.ranks = 4, .nodes = 4}, {"a", "b", "a", "b"}), "");
  EXPECT_EQ(placement_problem({.ranks = 3, .nodes = 2}, {"a", "a", "b"}), "");
  EXPECT_NE(placement_problem({.ranks = 3, .nodes = 2}, {"a", "b", "b"}), "");
  EXPECT_EQ(placement_problem({.ranks = 3}, {"a", "b", "a"}), "");
}

TEST_F(NodeMap, SaysWhatWasAskedForAndWhatWasObtained) {
  const std::string said =
      placement_problem({.ranks = 4, .nodes = 2}, {"mini1", "mini1", "mini1", "mini2"});
  EXPECT_NE(said.find("4 ranks asked for on 2 nodes (2 + 2)"), std::string::npos) << said;
  EXPECT_NE(said.find("on 2 nodes (3 + 1: mini1, mini2)"), std::string::npos) << said;
  EXPECT_NE(placement_problem({.ranks = 4}, {"a"})
                .find("4 ranks asked for, and the launcher has started 1 rank:"),
            std::string::npos);
}

TEST_F(NodeMap, ReadsWhatTheJobScriptAsksFor) {
  EXPECT_FALSE(asked_placement());
  ask("RANKS", "4");
  EXPECT_EQ(asked_placement()->nodes, 0);
  ask("NODES", "2");
  ask("CORES_PER_RANK", "3");
  ask("THREADS_PER_CORE", "1");
  const auto asked = asked_placement();
  EXPECT_EQ(asked->ranks, 4);
  EXPECT_EQ(asked->nodes, 2);
  EXPECT_EQ(asked->cores_per_rank, 3);
  EXPECT_EQ(asked->threads_per_core, 1);
  EXPECT_FALSE(asked->only_marks);
}

TEST_F(NodeMap, RefusesOrMarks) {
  ask("RANKS", "2");
  Ranks alone({.rank = 0, .size = 1});
  EXPECT_EQ(placed_as_asked(alone, {"a"}), exit_user);
  ask("PLACEMENT_CHECK", "mark");
  EXPECT_EQ(placed_as_asked(alone, {"a"}), 0);
  ask("PLACEMENT_CHECK", "refuse");
  ask("RANKS", "1");
  ask("NODES", "1");
  EXPECT_EQ(placed_as_asked(alone, {"a"}), 0);
}

TEST_F(NodeMap, RefusesValuesThatMakeNoPlacement) {
  for (const char* value : {"", "0", "-1", "two", "2x", " 2", "99999999999999999999"}) {
    ask("RANKS", value);
    expect_parts(refusal([] { asked_placement(); }), {"TRILEMMA_RANKS = ", "a whole number"});
  }
  ask("RANKS", "2");
  ask("NODES", "3");
  expect_parts(refusal([] { asked_placement(); }),
               {"TRILEMMA_NODES = 3 is more than", "RANKS = 2"});
  ask("NODES", "2");
  ask("PLACEMENT_CHECK", "perhaps");
  expect_parts(refusal([] { asked_placement(); }), {"perhaps: expected refuse or mark"});
}

}  // namespace trilemma::node_map_test
