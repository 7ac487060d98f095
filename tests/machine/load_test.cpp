// Use of the processors by the ranks and by others (src/machine/load.hpp): the format of
// /proc/stat, nodes, sets of processors, limits.

#include "machine/load.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::load_test {

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
}

// A rank that computed for 10 s on `first` to `last`, of which all together were busy for `busy`.
RankLoad rank_on(std::size_t first, std::size_t last, double busy, double own = 10) {
  RankLoad load{
      .usable = {}, .granted = 1024, .seconds = 10, .machine = {busy, 0}, .own = own, .waiting = 0};
  for (std::size_t i = first; i <= last; ++i) load.usable[i] = true;
  return load;
}

TEST(LoadMeter, TwoRanksOnTwoCores) {
  const RankLoad rank = rank_on(0, 1, 20);
  const TimeRecord alone = time_record({rank, rank}, {0, 0}, 100);
  EXPECT_EQ(alone.status, TimeEvidence::evidence);
  EXPECT_DOUBLE_EQ(alone.cores_per_rank, 1);
  EXPECT_DOUBLE_EQ(alone.load_from_others, 0);
  EXPECT_EQ(alone.node_ranks, 2);
  EXPECT_EQ(alone.timed_rounds, 100);
  const TimeRecord shared = time_record({rank, rank, rank}, {0, 0, 0}, 100);
  EXPECT_EQ(shared.status, TimeEvidence::cores_shared);
}

TEST(LoadMeter, OthersAreWhatTheRanksDidNotUse) {
  const TimeRecord record = time_record({rank_on(0, 1, 17, 8)}, {0}, 100);
  EXPECT_DOUBLE_EQ(record.load_from_others, 0.9);
  EXPECT_EQ(record.status, TimeEvidence::evidence);  // two cores: there was one for each
  EXPECT_EQ(time_record({rank_on(0, 1, 20, 8)}, {0}, 100).status, TimeEvidence::load_from_others);
  // Rounding of the clocks is no negative load.
  EXPECT_EQ(time_record({rank_on(0, 1, 9.9, 10)}, {0}, 100).load_from_others, 0);
}

TEST(LoadMeter, RanksBoundToCoresOfTheirOwn) {
  const TimeRecord record = time_record({rank_on(0, 0, 10), rank_on(5, 5, 15)}, {0, 0}, 100);
  EXPECT_DOUBLE_EQ(record.cores_per_rank, 1);
  EXPECT_DOUBLE_EQ(record.node_cores, 2);
  EXPECT_DOUBLE_EQ(record.load_from_others, 0.5);
  // A rank that may use all processors knows what all of them did.
  const TimeRecord mixed = time_record({rank_on(0, 0, 10), rank_on(0, 3, 21)}, {0, 0}, 100);
  EXPECT_DOUBLE_EQ(mixed.node_cores, 4);
  EXPECT_DOUBLE_EQ(mixed.load_from_others, 0.1);
}

TEST(LoadMeter, TheWorstNodeCounts) {
  const RankLoad wide = rank_on(0, 7, 12);
  const RankLoad crowded = rank_on(0, 0, 10, 5);
  const TimeRecord record = time_record({wide, wide, crowded, crowded}, {0, 0, 1, 1}, 100);
  EXPECT_EQ(record.status, TimeEvidence::cores_shared);
  EXPECT_DOUBLE_EQ(record.cores_per_rank, 0.5);
  EXPECT_DOUBLE_EQ(record.node_cores, 1);
  const RankLoad unknown{.usable = wide.usable,
                         .granted = 8,
                         .seconds = 10,
                         .machine = {std::nan(""), std::nan("")},
                         .own = 10,
                         .waiting = std::nan("")};
  for (const auto& loads : {std::vector{wide, unknown}, std::vector{unknown, wide}})
    EXPECT_EQ(time_record(loads, {0, 1}, 100).status, TimeEvidence::load_unknown);
}

TEST(LoadMeter, AContainerMayGrantFewerCores) {
  RankLoad rank = rank_on(0, 7, 10);
  rank.granted = 1.5;
  EXPECT_EQ(time_record({rank, rank}, {0, 0}, 100).status, TimeEvidence::cores_shared);
  EXPECT_DOUBLE_EQ(time_record({rank}, {0}, 100).cores_per_rank, 1.5);
}

TEST(LoadMeter, ShortRunsAreJudgedByTheirWaiting) {
  RankLoad rank = rank_on(0, 1, 0, 0.1);
  rank.seconds = 0.1;
  EXPECT_TRUE(std::isnan(time_record({rank}, {0}, 100).load_from_others));
  EXPECT_EQ(time_record({rank}, {0}, 100).status, TimeEvidence::evidence);
  rank.waiting = 0.01;
  EXPECT_EQ(time_record({rank}, {0}, 100).status, TimeEvidence::load_from_others);
}

TEST(LoadMeter, ASystemThatCountsNothingIsNoIdleOne) {
  RankLoad rank = rank_on(0, 1, 0);
  rank.waiting = std::nan("");
  EXPECT_EQ(time_record({rank}, {0}, 100).status, TimeEvidence::load_unknown);
  rank.usable.reset();
  EXPECT_TRUE(std::isnan(time_record({rank}, {0}, 100).cores_per_rank));
}

TEST(LoadMeter, NumbersCarryEverything) {
  RankLoad load = rank_on(30, 70, 12.5, 3.25);
  load.usable[1023] = true;
  load.granted = std::numeric_limits<double>::infinity();
  load.machine.stolen = 0.5;
  load.waiting = 0.25;
  const auto numbers = load.packed();
  ASSERT_EQ(numbers.size(), RankLoad::packed_size());
  const RankLoad same = RankLoad::unpacked(numbers);
  EXPECT_EQ(same.usable, load.usable);
  EXPECT_EQ(same.packed(), numbers);
  EXPECT_EQ(same.machine.stolen, 0.5);
  EXPECT_EQ(same.own, 3.25);
  EXPECT_EQ(same.waiting, 0.25);
}

}  // namespace trilemma::load_test
