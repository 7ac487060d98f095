// States of the cells of a sweep (src/sweep/sweep_status.cpp), as their files say.

#include "sweep/sweep_status.hpp"

#include <gtest/gtest.h>

#include "experiment/data_files.hpp"
#include "sweep/sweep.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::sweep_status_test {

class SweepStatus : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("tiny.toml", testing::tiny_experiment);
    sweep_ = read_sweep(folder_.write("s.toml", "experiment = \"tiny.toml\"\nseeds = [1]\n"));
    resolve(sweep_);
    files_ = cell_files(sweep_, sweep_.cells[0], folder_.path());
  }
  void expect(CellState state, const std::string& reason = "") {
    const auto all = sweep_status(sweep_, folder_.path(), folder_.path());
    ASSERT_EQ(all.size(), 1U);
    EXPECT_STREQ(name(all[0].state), name(state));
    EXPECT_EQ(all[0].reason, reason);
  }
  std::unique_ptr<RunFile> begun(const std::string& data_files = "",
                                 const std::string& width = real_name) const {
    RunIdentity identity = testing::sample_identity();
    identity.fingerprint = sweep_.cells[0].hash + "and so on";
    identity.environment = {{"real", width, ""}, {"data_files", data_files, ""}};
    return std::make_unique<RunFile>(files_.run, identity, testing::sample_metrics(),
                                     testing::sample_phase_names);
  }
  std::string stem() const { return cell_stem(sweep_, sweep_.cells[0]); }

  testing::TempFolder folder_;
  Sweep sweep_;
  CellFiles files_;
  const Vector model_ = Vector(4, 0);
};

TEST_F(SweepStatus, MissingUntilThereIsAFile) {
  expect(CellState::missing);
  folder_.write("000000000000.h5.checkpoint-3", "of another cell");
  expect(CellState::missing);
}

TEST_F(SweepStatus, RunningThenDone) {
  auto file = begun();
  expect(CellState::running);
  file->finish(model_);
  expect(CellState::done);
  folder_.write(stem() + ".failed", "left by an earlier run");
  expect(CellState::done);
}

TEST_F(SweepStatus, AReasonIsShort) {
  folder_.write(stem() + ".failed", std::string(1'000'000, 'x'));
  const auto all = sweep_status(sweep_, folder_.path(), folder_.path());
  EXPECT_LE(all[0].reason.size(), 2003U);
  EXPECT_TRUE(all[0].reason.ends_with("x..."));
}

TEST_F(SweepStatus, ARunThatGoesOnIsNotAFailedOne) {
  folder_.write(stem() + ".failed", "left by an earlier run");
  const auto file = begun();
  expect(CellState::running);
}

TEST_F(SweepStatus, InterruptedWithoutAReason) {
  begun().reset();
  expect(CellState::interrupted);
}

TEST_F(SweepStatus, InterruptedWithACheckpointOnly) {
  folder_.write(stem() + ".h5.checkpoint-20", "");
  expect(CellState::interrupted);
}

TEST_F(SweepStatus, FailedByItsOwnWords) {
  begun()->fail("a NaN\nin round 3", model_);
  expect(CellState::failed, "a NaN in round 3");
}

TEST_F(SweepStatus, FailedByTheFileBesideIt) {
  folder_.write(stem() + ".failed", "no data\n");
  expect(CellState::failed, "no data");
  begun().reset();
  expect(CellState::failed, "no data");
  folder_.write(stem() + ".failed", "");
  expect(CellState::failed, "no reason is known");
}

TEST_F(SweepStatus, FailedWhereTheRunFileIsNone) {
  folder_.write(stem() + ".h5", "cut off");
  expect(CellState::failed,
         files_.run + ": not an HDF5 file, or cut off before its first flush; run it again");
}

TEST_F(SweepStatus, FailedWhereTheRunIsOfOtherSettings) {
  RunFile(files_.run, testing::sample_identity(), testing::sample_metrics(),
          testing::sample_phase_names)
      .finish(model_);
  expect(CellState::failed,
         files_.run + ": the run of other settings, or an extended run; move it away");
}

TEST_F(SweepStatus, FailedWhereTheNumbersHaveAnotherWidth) {
  begun("", "float16")->finish(model_);
  expect(CellState::failed,
         files_.run + ": made by a program with float16 numbers; this one has " + real_name);
}

// Data that are not there any more cannot be compared.
TEST_F(SweepStatus, FailedWhereTheDataHaveChanged) {
  sweep_.cells[0].data_files = {"train", "gone"};
  folder_.write("train", "a");
  begun(data_file_sums({"train"}, folder_.path()) + "0  gone\n")->finish(model_);
  expect(CellState::done);
  folder_.write("train", "b");
  expect(CellState::failed,
         files_.run +
             ": made from other data (train: SHA-256 ca978112ca1b... there, 3e23e8160039... here)");
}

// The data directory says nothing about absolute names. The sum is that of "a".
TEST_F(SweepStatus, NoticesThatAbsoluteFilesHaveChanged) {
  const std::string file = folder_.write("train", "a");
  const std::string sums = data_file_sums({file}, "elsewhere");
  EXPECT_EQ(sums,
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  " + file + "\n");
  DataFiles before("elsewhere");
  EXPECT_TRUE(before.changed({file}, sums).empty());
  folder_.write("train", "b");
  DataFiles after("elsewhere");
  EXPECT_EQ(in_words(after.changed({file}, sums)),
            file + ": SHA-256 ca978112ca1b... there, 3e23e8160039... here");
  EXPECT_NE(
      testing::refusal([&] { data_file_sums({"gone"}, folder_.path()); }).find("gone: no such"),
      std::string::npos);
}

TEST_F(SweepStatus, FailedWhereTheConfigurationIsRefused) {
  sweep_.cells[0].refusal = "s.toml:3: no";
  expect(CellState::failed, "s.toml:3: no");
}

class ChoiceNote : public ::testing::Test {
 protected:
  std::string note(const std::string& axes) {
    folder_.write("tiny.toml", testing::tiny_experiment);
    Sweep sweep = read_sweep(folder_.write("s.toml", "experiment = \"tiny.toml\"\n" + axes));
    resolve(sweep);
    return choice_note(sweep);
  }
  testing::TempFolder folder_;
};

TEST_F(ChoiceNote, CountsRunsThatStateAnEpsilon) {
  const std::string delta = "[set]\nprivacy.delta = 1e-3\n";
  EXPECT_EQ(note("seeds = 3\n" + delta + "[axes]\nserver.rate = [0.1, 0.2]\n"),
            "every epsilon covers its own run, not the choice among 6 over the same data; see "
            "trilemma privacy tuning");
  // Cells without noise state none; repetitions are one run.
  EXPECT_NE(note("seeds = 2\n" + delta + "[axes]\nmethod = [\"ldp-sgd\", \"gd\"]\n")
                .find("choice among 2 over"),
            std::string::npos);
  EXPECT_EQ(note("seeds = [1]\nrepetitions = 4\n" + delta), "");
}

// Settings are compared, not the text of the configuration.
TEST_F(ChoiceNote, IsNotMisledByWordsInOtherSettings) {
  EXPECT_NE(note("seeds = 3\n[set]\nname = \"[data]\"\nprivacy.delta = 1e-3\n")
                .find("choice among 3 over"),
            std::string::npos);
}

TEST_F(ChoiceNote, NothingToChooseOrToState) {
  EXPECT_EQ(note("seeds = 3\n"), "");
  EXPECT_EQ(note("seeds = [1]\n[set]\nprivacy.delta = 1e-3\n[axes]\ndata.seed = [1, 2]\n"), "");
  EXPECT_EQ(note("seeds = 3\n[set]\nprivacy.delta = 1e-3\nprivacy.sigma = 0.0\n"), "");
}

TEST(IndexRanges, AreWrittenAsSlurmReadsThem) {
  EXPECT_EQ(index_ranges({}), "");
  EXPECT_EQ(index_ranges({4}), "4");
  EXPECT_EQ(index_ranges({0, 3, 5, 6, 7, 8}), "0,3,5-8");
  EXPECT_EQ(index_ranges({0, 1, 3, 4}), "0-1,3-4");
}

}  // namespace trilemma::sweep_status_test
