// The machine in a run file (src/record/machine_record.hpp).

#include "record/machine_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/temp.hpp"

namespace trilemma::machine_record_test {

using testing::TempFolder;

RankFacts rank_on(const std::string& host, const std::string& affinity) {
  RankFacts rank;
  rank.host = host;
  rank.affinity = affinity;
  rank.cpu = "A Processor With A Long Name @ 2.60GHz";
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

}  // namespace trilemma::machine_record_test
