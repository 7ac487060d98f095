// Energy counters (src/machine/energy.hpp), read from a made-up /sys.

#include "machine/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/clock.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::energy_test {

using testing::TempFolder;

class MadeUpCounters : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    const std::string file = "sys/" + name;
    std::filesystem::create_directories(std::filesystem::path(folder_.at(file)).parent_path());
    folder_.write(file, content);
  }
  void write_zone(const std::string& zone, const std::string& what, const char* energy) const {
    const std::string at = "class/powercap/" + zone + "/";
    write(at + "name", what + "\n");
    write(at + "max_energy_range_uj", "262143000000\n");
    write(at + "energy_uj", energy);
  }
  EnergyCounters counters() const { return EnergyCounters(folder_.path()); }

  TempFolder folder_;
};

TEST_F(MadeUpCounters, AddsPackagesAndMemoryButNoPartTwice) {
  write_zone("intel-rapl:0", "package-0", "1000000\n");
  write_zone("intel-rapl:0:0", "core", "500000\n");
  write_zone("intel-rapl:0:1", "dram", "200000\n");
  write_zone("intel-rapl:1", "package-1", "0\n");
  write_zone("intel-rapl:2", "psys", "0\n");
  write_zone("intel-rapl-mmio:0", "package-0", "1000000\n");
  EnergyCounters energy = counters();
  EXPECT_EQ(energy.source(), EnergySource::powercap);
  EXPECT_EQ(energy.since_last(now_seconds()), 0);
  write_zone("intel-rapl:0", "package-0", "3000000\n");
  write_zone("intel-rapl:0:0", "core", "2500000\n");
  write_zone("intel-rapl:0:1", "dram", "700000\n");
  write_zone("intel-rapl:1", "package-1", "1250000\n");
  write_zone("intel-rapl:2", "psys", "9000000\n");
  write_zone("intel-rapl-mmio:0", "package-0", "3000000\n");
  EXPECT_DOUBLE_EQ(energy.since_last(now_seconds()), 2 + 0.5 + 1.25);
  EXPECT_EQ(energy.since_last(now_seconds()), 0);
}

// At a kilowatt the counter of 262,143 J may wrap after 262 s.
TEST_F(MadeUpCounters, ReadingsTooFarApartAreUnknown) {
  write_zone("intel-rapl:0", "package-0", "1000000\n");
  EnergyCounters energy = counters();
  write_zone("intel-rapl:0", "package-0", "2000000\n");
  const double late = now_seconds() + 300;
  EXPECT_TRUE(std::isnan(energy.since_last(late)));
  write_zone("intel-rapl:0", "package-0", "5000000\n");
  EXPECT_DOUBLE_EQ(energy.since_last(late + 200), 3);
}

TEST_F(MadeUpCounters, ACounterWraps) {
  write_zone("intel-rapl:0", "package-0", "262142000000\n");
  EnergyCounters energy = counters();
  write_zone("intel-rapl:0", "package-0", "500000\n");
  EXPECT_DOUBLE_EQ(energy.since_last(now_seconds()), 1.5);
}

TEST_F(MadeUpCounters, TheCounterOfTheNodeComesFirst) {
  write_zone("intel-rapl:0", "package-0", "0\n");
  write("cray/pm_counters/energy", "5000 J 1700000000000000 us\n");
  EnergyCounters energy = counters();
  EXPECT_EQ(energy.source(), EnergySource::pm_counters);
  write("cray/pm_counters/energy", "5321 J 1700000001000000 us\n");
  EXPECT_EQ(energy.since_last(now_seconds()), 321);
}

TEST_F(MadeUpCounters, WhatIsNotCountedIsNotZero) {
  EXPECT_EQ(counters().source(), EnergySource::none);
  EXPECT_TRUE(std::isnan(counters().since_last(now_seconds())));
  EXPECT_TRUE(std::isnan(EnergyCounters().since_last(now_seconds())));
  // A sum that lacks a package would be too small.
  write_zone("intel-rapl:0", "package-0", "0\n");
  write_zone("intel-rapl:1", "package-1", "no number\n");
  EXPECT_EQ(counters().source(), EnergySource::none);
  EXPECT_TRUE(std::isnan(counters().since_last(now_seconds())));
}

TEST_F(MadeUpCounters, ACounterThatVanishesLeavesNoNumber) {
  write_zone("intel-rapl:0", "package-0", "0\n");
  EnergyCounters energy = counters();
  std::filesystem::remove(folder_.at("sys/class/powercap/intel-rapl:0/energy_uj"));
  EXPECT_TRUE(std::isnan(energy.since_last(now_seconds())));
}

TEST(EnergySource, HasAName) {
  EXPECT_STREQ(name(EnergySource::none), "not available");
  EXPECT_STREQ(name(EnergySource::powercap), "powercap");
  EXPECT_STREQ(name(EnergySource::pm_counters), "pm_counters");
}

}  // namespace trilemma::energy_test
