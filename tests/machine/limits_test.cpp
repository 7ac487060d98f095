// What this process may use (src/machine/limits.hpp), read from a made-up /proc and /sys.

#include "machine/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/temp.hpp"

namespace trilemma::limits_test {

using testing::TempFolder;

class MadeUpGroups : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.at(name)).parent_path());
    folder_.write(name, content);
  }
  double memory() const { return memory_limit(folder_.path()); }
  double cores() const { return granted_cores(folder_.path()); }
  TempFolder folder_;
};

constexpr double mebibyte = 1 << 20;

// A step of a Slurm job, whose task has no limit of its own.
TEST_F(MadeUpGroups, TheJobOfASlurmTaskLimitsIt) {
  const double whole = memory();
  EXPECT_TRUE(std::isinf(cores()));
  write("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_1\n");
  const std::string job = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/";
  for (const char* group : {"", "step_0/", "step_0/user/", "step_0/user/task_1/"}) {
    write(job + group + "memory.max", "max\n");
    write(job + group + "cpu.max", "max 100000\n");
  }
  EXPECT_EQ(memory(), whole);
  EXPECT_TRUE(std::isinf(cores()));
  write(job + "memory.max", "3145728\n");
  write(job + "cpu.max", "400000 100000\n");
  EXPECT_EQ(memory(), 3 * mebibyte);
  EXPECT_EQ(cores(), 4);
}

TEST_F(MadeUpGroups, TheSmallestLimitOfAllGroupsCounts) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/memory.max", "2097152\n");
  write("sys/fs/cgroup/a/b/memory.max", "1048576\n");
  write("sys/fs/cgroup/a/b/c/memory.max", "4194304\n");
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/a/other/memory.max", "1024\n");
  EXPECT_EQ(memory(), mebibyte);
  EXPECT_EQ(cores(), 1.5);
}

// A container sees its own group at the root.
TEST_F(MadeUpGroups, TheRootCountsToo) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1048576\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(memory(), mebibyte);
  EXPECT_EQ(cores(), 0.5);
  std::filesystem::remove(folder_.at("proc/self/cgroup"));
  EXPECT_EQ(memory(), mebibyte);
}

TEST_F(MadeUpGroups, TheFirstVersionHasAFolderForEachController) {
  write("proc/self/cgroup", "6:memory:/job/task\n5:cpuacct,cpu:/job\n4:cpuset:/other\n0::/x\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
  write("sys/fs/cgroup/memory/job/task/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory(), 2 * mebibyte);
  EXPECT_EQ(cores(), 2.5);
  // Version 2 in addition to it.
  write("sys/fs/cgroup/unified/x/memory.max", "1048576\n");
  EXPECT_EQ(memory(), mebibyte);
}

TEST(Limits, OfThisProcessAreAboveItsUse) {
  EXPECT_GT(granted_cores(), 0);
  EXPECT_GT(memory_limit(), peak_memory());
}

}  // namespace trilemma::limits_test
