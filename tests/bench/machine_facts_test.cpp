// What the judgement takes from the machine on record (src/bench/machine_facts.hpp): that of every
// rank, not of rank 0 alone.

#include "bench/machine_facts.hpp"

#include <gtest/gtest.h>

namespace trilemma::machine_facts_test {

// Two ranks on each of two nodes, each bound to a core of its own.
MachineRecord four_ranks() {
  MachineRecord record;
  record.variables = {"OMP_NUM_THREADS=1", "SLURM_JOB_ID=7"};
  for (const auto& [host, core] :
       {std::pair{"n1", "0"}, std::pair{"n1", "1"}, std::pair{"n2", "0"}, std::pair{"n2", "1"}}) {
    RankFacts rank;
    rank.host = host;
    rank.affinity = core;
    record.ranks.push_back(rank);
  }
  return record;
}

BenchFacts facts_of(const MachineRecord& record, std::optional<AskedPlacement> asked = {}) {
  BenchFacts facts;
  add_machine(record, asked, facts);
  return facts;
}

// Ranks, nodes, cores per rank.
AskedPlacement asked_for(std::int64_t ranks, std::int64_t nodes, std::int64_t cores = 0) {
  return {.ranks = ranks, .nodes = nodes, .cores_per_rank = cores};
}

TEST(MachineFacts, OfRanksAsRequested) {
  const BenchFacts facts = facts_of(four_ranks(), asked_for(4, 2, 1));
  EXPECT_TRUE(facts.is_placed_as_asked);
  EXPECT_FALSE(facts.is_restarted);
  EXPECT_TRUE(facts.tuning.empty());
  EXPECT_EQ(facts.ranks.size(), 4U);
  EXPECT_FALSE(share_processors(facts.ranks));
}

TEST(MachineFacts, TheLastRankMayHaveVariablesOfItsOwn) {
  MachineRecord record = four_ranks();
  record.ranks[3].other_variables = {"OMP_NUM_THREADS=2", "UCX_TLS=tcp"};
  EXPECT_EQ(facts_of(record).tuning, std::vector<std::string>{"rank 3: UCX_TLS=tcp"});
  record.variables.emplace_back("FI_PROVIDER=tcp");
  EXPECT_EQ(facts_of(record).tuning,
            (std::vector<std::string>{"FI_PROVIDER=tcp", "rank 3: UCX_TLS=tcp"}));
}

TEST(MachineFacts, TheLastRankMayHaveMoved) {
  MachineRecord record = four_ranks();
  record.ranks[3].host = "n1";
  EXPECT_FALSE(facts_of(record, asked_for(4, 2)).is_placed_as_asked);
  EXPECT_TRUE(facts_of(record).is_placed_as_asked);  // nothing was requested
  EXPECT_TRUE(share_processors(facts_of(record).ranks));
}

TEST(MachineFacts, TheLastRankMayHaveFewerCores) {
  MachineRecord record = four_ranks();
  for (auto& rank : record.ranks) rank.affinity = rank.affinity == "0" ? "0-1" : "2-3";
  EXPECT_TRUE(facts_of(record, asked_for(4, 2, 2)).is_placed_as_asked);
  record.ranks[3].affinity = "2";
  EXPECT_FALSE(facts_of(record, asked_for(4, 2, 2)).is_placed_as_asked);
}

TEST(MachineFacts, AJobThatWasStartedAgain) {
  MachineRecord record = four_ranks();
  record.variables.emplace_back("SLURM_RESTART_COUNT=0");
  EXPECT_FALSE(facts_of(record).is_restarted);
  record.ranks[2].other_variables = {"SLURM_RESTART_COUNT=1"};
  EXPECT_TRUE(facts_of(record).is_restarted);
  record = four_ranks();
  record.variables.emplace_back("SLURM_RESTART_COUNT=2");
  EXPECT_TRUE(facts_of(record).is_restarted);
}

}  // namespace trilemma::machine_facts_test
