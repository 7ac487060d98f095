// The machine (src/base/machine.hpp), read from a made-up /proc, /sys and /etc.

#include "base/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/temp.hpp"

namespace trilemma::machine_test {

using testing::TempFolder;

// Two sockets with two cores of two hardware threads each; the NUMA nodes are the sockets.
class MadeUpMachine : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.at(name)).parent_path());
    folder_.write(name, content);
  }
  void write_all() const {
    write("sys/devices/system/cpu/online", "0-7\n");
    write("sys/devices/system/node/online", "0-1\n");
    write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
    write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
    std::string cpus;
    for (int p = 0; p < 8; ++p) {
      const std::string at = "sys/devices/system/cpu/cpu" + std::to_string(p) + "/";
      write(at + "topology/physical_package_id", p % 4 < 2 ? "0\n" : "1\n");
      write(at + "topology/core_id", std::to_string(p % 2) + "\n");
      write(at + "cpufreq/scaling_governor", p == 7 ? "powersave\n" : "performance\n");
      if (p < 4) write(at + "cpufreq/scaling_cur_freq", std::to_string(2'000'000 + 1000 * p));
      cpus += "processor\t: " + std::to_string(p) + "\nmodel name\t: Made Up " +
              std::to_string(p / 4) + "\ncpu MHz\t\t: 1234.5\n\n";
    }
    write("proc/cpuinfo", cpus);
    write("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 7 kB\n");
    write("proc/sys/kernel/ostype", "Linux\n");
    write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    write("proc/self/status", "Name:\tx\nThreads:\t3\n");
    write("etc/os-release", "NAME=\"x\"\nPRETTY_NAME=\"Made Up 12\"\n");
  }
  ProcessFacts process(const char* affinity) const {
    return process_facts(processors_in(affinity), folder_.path());
  }
  TempFolder folder_;
};

TEST_F(MadeUpMachine, CountsSocketsCoresAndProcessors) {
  write_all();
  const MachineFacts found = machine_facts(folder_.path());
  EXPECT_EQ(found.sockets, 2);
  EXPECT_EQ(found.cores, 4);
  EXPECT_EQ(found.processors, 8);
  EXPECT_EQ(found.memory, 2048 * 1024.0);
  EXPECT_EQ(found.numa, "0: 0-1,4-5; 1: 2-3,6-7");
  EXPECT_EQ(found.governor, "performance, powersave");
  EXPECT_EQ(found.kernel, "Linux 6.1.0-18-amd64");
  EXPECT_EQ(found.system, "Made Up 12");
}

TEST_F(MadeUpMachine, FactsOfAProcessAreThoseOfItsProcessors) {
  write_all();
  const ProcessFacts two = process("1,2");
  EXPECT_EQ(two.affinity, "1-2");
  EXPECT_EQ(two.numa, "0-1");
  EXPECT_EQ(two.cpu, "Made Up 0");
  EXPECT_DOUBLE_EQ(two.megahertz, 2001.5);
  EXPECT_EQ(two.threads, 3);
  const ProcessFacts one = process("6");
  EXPECT_EQ(one.numa, "1");
  EXPECT_EQ(one.cpu, "Made Up 1");
  EXPECT_DOUBLE_EQ(one.megahertz, 1234.5);  // no frequency of a governor: that of /proc/cpuinfo
}

TEST_F(MadeUpMachine, WhatTheSystemDoesNotReportIsNotZero) {
  const MachineFacts machine = machine_facts(folder_.path());
  for (const double number : {machine.memory, machine.sockets, machine.cores, machine.processors})
    EXPECT_TRUE(std::isnan(number));
  for (const std::string& text : {machine.kernel, machine.system, machine.governor, machine.numa})
    EXPECT_EQ(text, not_available);
  const ProcessFacts process = process_facts({}, folder_.path());
  EXPECT_EQ(process.affinity, not_available);
  EXPECT_EQ(process.cpu, not_available);
  EXPECT_EQ(process.numa, not_available);
  EXPECT_TRUE(std::isnan(process.megahertz));
  EXPECT_TRUE(std::isnan(process.threads));
}

TEST_F(MadeUpMachine, AProcessorWithoutAFrequencyMakesTheMeanUnknown) {
  write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 1000\nprocessor\t: 1\nmodel name\t: x\n");
  EXPECT_TRUE(std::isnan(process("0-1").megahertz));
  EXPECT_EQ(process("0").megahertz, 1000);
}

TEST(ProcessorLists, AreThoseOfLinux) {
  for (const char* list : {"0", "0-3", "0-3,8", "1,3,5", "0-1,4-5,1023"})
    EXPECT_EQ(list_of(processors_in(list)), list);
  EXPECT_EQ(list_of({}), not_available);
  EXPECT_EQ(processors_in("").count(), 0U);
  EXPECT_EQ(list_of(processors_in("x,2-y,5,1024,7-3")), "5");
}

}  // namespace trilemma::machine_test
