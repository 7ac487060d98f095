// The machine (src/machine/facts.hpp), read from a made-up /proc, /sys and /etc.

#include "machine/facts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/temp.hpp"

namespace trilemma::facts_test {

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
  RankFacts process(const char* affinity) const {
    return rank_facts(processors_in(affinity), folder_.path());
  }
  TempFolder folder_;
};

TEST_F(MadeUpMachine, CountsSocketsCoresAndProcessors) {
  write_all();
  const NodeFacts found = node_facts(folder_.path());
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
  const RankFacts two = process("1,2");
  EXPECT_EQ(two.affinity, "1-2");
  EXPECT_EQ(two.numa, "0-1");
  EXPECT_EQ(two.cpu, "Made Up 0");
  EXPECT_DOUBLE_EQ(two.megahertz, 2001.5);
  EXPECT_EQ(two.threads, 3);
  const RankFacts one = process("6");
  EXPECT_EQ(one.numa, "1");
  EXPECT_EQ(one.cpu, "Made Up 1");
  EXPECT_DOUBLE_EQ(one.megahertz, 1234.5);  // no frequency of a governor: that of /proc/cpuinfo
}

TEST_F(MadeUpMachine, WhatTheSystemDoesNotReportIsNotZero) {
  const NodeFacts machine = node_facts(folder_.path());
  for (const double number : {machine.memory, machine.sockets, machine.cores, machine.processors})
    EXPECT_TRUE(std::isnan(number));
  for (const std::string& text : {machine.kernel, machine.system, machine.governor, machine.numa})
    EXPECT_EQ(text, not_available);
  const RankFacts process = rank_facts({}, folder_.path());
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

TEST(RecordedMachine, ARankKeepsItsVariablesOnTheirWay) {
  RankFacts sent;
  sent.affinity = "0-3";
  sent.other_variables = {"OMP_NUM_THREADS=3", "UCX_TLS"};
  Bytes packed;
  State saving = State::saving(packed);
  sent.persist(saving);
  RankFacts received;
  State state = State::restoring(packed);
  received.persist(state);
  state.finish();
  EXPECT_EQ(received.other_variables, sent.other_variables);
  EXPECT_EQ(received.affinity, "0-3");
}

TEST(RecordedMachine, EnergyIsCountedIfItIsOnEveryNode) {
  std::vector<NodeFacts> nodes;
  EXPECT_FALSE(counts_energy(nodes));
  nodes.resize(2);
  nodes[0].energy = EnergySource::powercap;
  EXPECT_FALSE(counts_energy(nodes));
  nodes[1].energy = EnergySource::pm_counters;
  EXPECT_TRUE(counts_energy(nodes));
}

TEST(RecordedMachine, IsSentWhole) {
  RankFacts rank;
  rank.host = "a";
  rank.affinity = "0-3";
  rank.cpu = "A Processor";
  rank.numa = "1";
  rank.megahertz = 2600;
  rank.threads = 4;
  rank.blas_threads = 2;
  NodeFacts node;
  node.host = "a";
  node.kernel = "Linux";
  node.cores = 64;
  Bytes bytes;
  State saving = State::saving(bytes);
  rank.persist(saving);
  node.persist(saving);
  RankFacts got;
  NodeFacts of;
  State restoring = State::restoring(bytes);
  got.persist(restoring);
  of.persist(restoring);
  restoring.finish();
  for (const auto& field : rank_fields())
    EXPECT_TRUE(same_value(field.get(got), field.get(rank), 0)) << field.name;
  for (const auto& field : node_fields())
    EXPECT_TRUE(same_value(field.get(of), field.get(node), 0)) << field.name;
}

}  // namespace trilemma::facts_test
