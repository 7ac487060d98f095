// What a run file tells of build, machine and launch (src/record/environment.hpp,
// docs/run-file.md).

#include "record/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/types.hpp"

namespace trilemma::environment_test {

TEST(Environment, HasTheDocumentedTexts) {
  setenv("SLURM_TEST_OF_TRILEMMA", "17", 1);
  const auto list = environment("trilemma run x.toml", "Open MPI v4");
  unsetenv("SLURM_TEST_OF_TRILEMMA");
  const std::map<std::string, std::string> found(list.begin(), list.end());
  for (const char* name : {"command_line", "git_revision", "compiler", "compiler_flags",
                           "libraries", "real", "cpu", "started", "slurm"})
    ASSERT_TRUE(found.contains(name)) << name;
  EXPECT_EQ(found.at("command_line"), "trilemma run x.toml");
  EXPECT_EQ(found.at("real"), sizeof(real) == 4 ? "float32" : "float64");
  EXPECT_NE(found.at("libraries").find("HDF5"), std::string::npos);
  EXPECT_NE(found.at("libraries").find("Open MPI v4"), std::string::npos);
  EXPECT_NE(found.at("slurm").find("SLURM_TEST_OF_TRILEMMA=17"), std::string::npos);
  EXPECT_FALSE(found.at("compiler").empty());
  EXPECT_FALSE(found.at("git_revision").empty());
  EXPECT_EQ(found.at("started").size(), std::string("2024-01-01T00:00:00Z").size());
}

}  // namespace trilemma::environment_test
