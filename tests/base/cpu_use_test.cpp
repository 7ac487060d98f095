// Use of the processors (src/base/cpu_use.hpp): the format of /proc/stat.

#include "base/cpu_use.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::cpu_use_test {

constexpr const char* two_processors =
    "cpu  999 999 999 999 999 999 999 999 0 0\n"
    "cpu0 100 20 30 1000 500 4 6 10 0 0\n"
    "cpu1 200 0 0 1000 0 0 0 0 0 0\n"
    "cpu12 50 0 0 0 0 0 0 0 0 0\n"
    "intr 1 2 3\n"
    "cpu1 7777 0 0 0 0 0 0 0 0 0\n";

ProcessorSeconds read(const char* text, std::initializer_list<std::size_t> which) {
  Processors set;
  for (const std::size_t one : which) set[one] = true;
  return processor_seconds(text, set, 100);
}

TEST(CpuUse, SumsOverTheGivenProcessors) {
  EXPECT_DOUBLE_EQ(read(two_processors, {0}).busy, 1.6);  // neither idle nor waiting for a disk
  EXPECT_DOUBLE_EQ(read(two_processors, {0}).stolen, 0.1);
  EXPECT_DOUBLE_EQ(read(two_processors, {0, 1}).busy, 3.6);
  EXPECT_DOUBLE_EQ(read(two_processors, {12}).busy, 0.5);
}

TEST(CpuUse, IsUnknownWhereTheFileSaysNothing) {
  for (const char* text : {"", "intr 1 2\n", "cpu 1 2\n", "cpu0 1 2 3\n", "cpu0x 1 2 3 4 5 6 7 8\n",
                           "cpu99999999999 1 2 3 4 5 6 7 8\n"})
    EXPECT_TRUE(std::isnan(read(text, {0}).busy)) << text;
  EXPECT_TRUE(std::isnan(read(two_processors, {}).busy));
  EXPECT_TRUE(std::isnan(read(two_processors, {3}).stolen));
}

TEST(CpuUse, OfThisProcessGrows) {
  const Processors usable = usable_processors();
  const CpuUse before = cpu_use(usable);
  volatile double sum = 0;
  while (cpu_use(usable).own <= before.own) sum = sum + 1;
  EXPECT_GE(cpu_use(usable).at, before.at);
  EXPECT_GT(granted_cores(), 0);
}

}  // namespace trilemma::cpu_use_test
