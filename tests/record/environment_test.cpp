// What is asked of the machine and the launch (src/record/environment.hpp).

#include "record/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trilemma::environment_test {

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

}  // namespace trilemma::environment_test
