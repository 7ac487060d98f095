// The machine in a run file (src/record/machine_record.hpp).

#include "record/machine_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/support/temp.hpp"

namespace trilemma::machine_record_test {

using testing::TempFolder;

RankOnRecord rank_on(const std::string& host, const std::string& affinity) {
  RankOnRecord rank;
  rank.host = host;
  rank.process.affinity = affinity;
  rank.process.cpu = "A Processor With A Long Name @ 2.60GHz";
  rank.other_variables = {"OMP_NUM_THREADS=3"};
  return rank;
}

TEST(MachineRecord, StoresEqualTextsOnce) {
  const TempFolder folder;
  MachineRecord record;
  record.ranks = {rank_on("a", "0"), rank_on("a", "1"), rank_on("b", "0")};
  h5::File file = h5::File::create(folder.at("x.h5"));
  write_machine(file, record);
  const h5::Group ranks = file.open_group("ranks");
  EXPECT_EQ(ranks.read_texts("host_value"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ranks.read_numbers("host", 3), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(ranks.read_numbers("affinity", 3), (std::vector<double>{0, 1, 0}));
  EXPECT_TRUE(std::isnan(ranks.read_numbers("frequency", 3)[0]));
  EXPECT_EQ(file.read_texts("mpi_variables"), std::vector<std::string>{not_available});
}

TEST(MachineRecord, OfManyRanksIsSmall) {
  const TempFolder folder;
  constexpr int ranks = 1024;
  MachineRecord record;
  for (int r = 0; r < ranks; ++r)
    record.ranks.push_back(rank_on("node" + std::to_string(r / 64), std::to_string(r % 64)));
  record.nodes.resize(ranks / 64);
  {
    h5::File file = h5::File::create(folder.at("x.h5"));
    write_machine(file, record);
    file.close("close");
  }
  EXPECT_LT(std::filesystem::file_size(folder.at("x.h5")), 200'000U);
}

TEST(MachineRecord, ARankKeepsItsVariablesOnTheirWay) {
  RankOnRecord sent = rank_on("a", "0-3");
  sent.other_variables = {"OMP_NUM_THREADS=3", "UCX_TLS"};
  Bytes packed;
  State saving = State::saving(packed);
  sent.persist(saving);
  RankOnRecord received;
  State state = State::restoring(packed);
  received.persist(state);
  state.finish();
  EXPECT_EQ(received.other_variables, sent.other_variables);
  EXPECT_EQ(received.process.affinity, "0-3");
}

TEST(MachineRecord, EnergyIsCountedIfItIsOnEveryNode) {
  std::vector<NodeOnRecord> nodes;
  EXPECT_FALSE(counts_energy(nodes));
  nodes.resize(2);
  nodes[0].energy = EnergySource::powercap;
  EXPECT_FALSE(counts_energy(nodes));
  nodes[1].energy = EnergySource::pm_counters;
  EXPECT_TRUE(counts_energy(nodes));
}

TEST(MachineRecord, IsSentWhole) {
  RankOnRecord rank = rank_on("a", "0-3");
  rank.process.numa = "1";
  rank.process.megahertz = 2600;
  rank.process.threads = 4;
  rank.blas_threads = 2;
  NodeOnRecord node;
  node.host = "a";
  node.machine.kernel = "Linux";
  node.machine.cores = 64;
  Bytes bytes;
  State saving = State::saving(bytes);
  rank.persist(saving);
  node.persist(saving);
  RankOnRecord got;
  NodeOnRecord of;
  State restoring = State::restoring(bytes);
  got.persist(restoring);
  of.persist(restoring);
  restoring.finish();
  for (const auto& field : rank_fields())
    EXPECT_TRUE(same_value(field.get(got), field.get(rank), 0)) << field.name;
  for (const auto& field : node_fields())
    EXPECT_TRUE(same_value(field.get(of), field.get(node), 0)) << field.name;
}

TEST(RecordedVariables, AreThoseOfTheListWithoutCredentials) {
  const auto has = [](const std::string& line) {
    return std::ranges::count(recorded_variables(), line) == 1;
  };
  setenv("OMPI_MCA_test_of_trilemma", "tcp,self", 1);
  setenv("SLURM_JWT", "secret", 1);
  setenv("FI_TEST_API_KEY", "secret", 1);
  setenv("HOME_OF_TRILEMMA", "x", 1);
  EXPECT_TRUE(has("OMPI_MCA_test_of_trilemma=tcp,self"));
  EXPECT_FALSE(has("SLURM_JWT=secret"));
  EXPECT_FALSE(has("FI_TEST_API_KEY=secret"));
  EXPECT_FALSE(has("HOME_OF_TRILEMMA=x"));
  for (const char* name :
       {"OMPI_MCA_test_of_trilemma", "SLURM_JWT", "FI_TEST_API_KEY", "HOME_OF_TRILEMMA"})
    unsetenv(name);
}

TEST(RecordedVariables, OfOtherRanksAreDifferences) {
  const std::vector<std::string> first = {"OMPI_COMM_WORLD_RANK=0", "OMP_NUM_THREADS=2",
                                          "UCX_TLS=rc"};
  EXPECT_TRUE(differing_variables(first, first).empty());
  EXPECT_TRUE(
      differing_variables({"OMPI_COMM_WORLD_RANK=1", "OMP_NUM_THREADS=2", "UCX_TLS=rc"}, first)
          .empty());
  EXPECT_EQ(differing_variables({"OMPI_COMM_WORLD_RANK=1", "OMP_NUM_THREADS=4"}, first),
            (std::vector<std::string>{"OMP_NUM_THREADS=4", "UCX_TLS"}));
}

}  // namespace trilemma::machine_record_test
