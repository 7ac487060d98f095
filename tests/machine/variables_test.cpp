// Environment variables on record (src/machine/variables.hpp).

#include "machine/variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace trilemma::variables_test {

TEST(Environment, ListsVariablesByPrefix) {
  setenv("SLURM_TEST_OF_TRILEMMA", "17", 1);
  const std::string found = variables("SLURM_TEST_OF_");
  unsetenv("SLURM_TEST_OF_TRILEMMA");
  EXPECT_NE(found.find("SLURM_TEST_OF_TRILEMMA=17"), std::string::npos);
  EXPECT_EQ(variables("SLURM_TEST_OF_TRILEMMA").find("=17"), std::string::npos);
}

TEST(Environment, TimesHaveOneWidth) {
  EXPECT_EQ(utc_now().size(), std::string("2024-01-01T00:00:00Z").size());
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

}  // namespace trilemma::variables_test
