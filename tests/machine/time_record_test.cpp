// Evidence of time (src/machine/time_record.hpp): the judgement, its limits and its words.

#include "machine/time_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "record/run_file.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::time_record_test {

constexpr double none = TimeRecord::none;

TimeRecord recorded(const h5::Group& file) {
  return read_fields(file.open_group("environment"), time_fields()).value_or(TimeRecord{});
}

// One rank on two cores that nothing else uses.
TimeRecord quiet() {
  TimeRecord r{.cores_per_rank = 2,
               .node_cores = 2,
               .node_ranks = 1,
               .load_from_others = 0.02,
               .waiting_share = 0.001,
               .steal_share = 0,
               .timed_rounds = 200};
  r.status = judged(r);
  return r;
}
TimeRecord with(double TimeRecord::*member, double value) {
  TimeRecord r = quiet();
  r.*member = value;
  r.status = judged(r);
  return r;
}
TimeRecord of_rounds(std::int64_t rounds) {
  TimeRecord r = quiet();
  r.timed_rounds = rounds;
  r.status = judged(r);
  return r;
}

TEST(TimeRecord, EveryLimitHasTwoSides) {
  EXPECT_EQ(quiet().status, TimeEvidence::evidence);
  EXPECT_EQ(of_rounds(4).status, TimeEvidence::few_rounds);
  EXPECT_EQ(of_rounds(5).status, TimeEvidence::evidence);
  EXPECT_EQ(with(&TimeRecord::cores_per_rank, 0.99).status, TimeEvidence::cores_shared);
  EXPECT_EQ(with(&TimeRecord::cores_per_rank, 1).status, TimeEvidence::evidence);
  EXPECT_EQ(with(&TimeRecord::load_from_others, 1.11).status, TimeEvidence::load_from_others);
  EXPECT_EQ(with(&TimeRecord::load_from_others, 1.09).status, TimeEvidence::evidence);
  EXPECT_EQ(with(&TimeRecord::waiting_share, 0.021).status, TimeEvidence::load_from_others);
  EXPECT_EQ(with(&TimeRecord::waiting_share, 0.019).status, TimeEvidence::evidence);
  EXPECT_EQ(with(&TimeRecord::steal_share, 0.021).status, TimeEvidence::steal);
  EXPECT_EQ(with(&TimeRecord::steal_share, 0.019).status, TimeEvidence::evidence);
}

TEST(TimeRecord, NeedsTheLoadOrTheWaiting) {
  EXPECT_EQ(with(&TimeRecord::load_from_others, none).status, TimeEvidence::evidence);
  EXPECT_EQ(with(&TimeRecord::waiting_share, none).status, TimeEvidence::evidence);
  TimeRecord r = with(&TimeRecord::load_from_others, none);
  r.waiting_share = none;
  EXPECT_EQ(judged(r), TimeEvidence::load_unknown);
  EXPECT_EQ(judged({.status = TimeEvidence::simulated}), TimeEvidence::simulated);
  EXPECT_EQ(judged({.status = TimeEvidence::no_times}), TimeEvidence::no_times);
}

TEST(TimeRecord, KeepsTheWorstOfAllStarts) {
  TimeRecord busy = with(&TimeRecord::load_from_others, 1.7);
  busy.timed_rounds = 3;
  for (const TimeRecord& both : {with_start(quiet(), busy), with_start(busy, quiet())}) {
    EXPECT_EQ(both.status, TimeEvidence::load_from_others);
    EXPECT_EQ(both.load_from_others, 1.7);
    EXPECT_EQ(both.timed_rounds, 203);
  }
  EXPECT_EQ(with_start(of_rounds(3), of_rounds(4)).status, TimeEvidence::evidence);
  const TimeRecord shared = with(&TimeRecord::cores_per_rank, 0.5);
  EXPECT_EQ(with_start(quiet(), shared).status, TimeEvidence::cores_shared);
  EXPECT_EQ(with_start(shared, quiet()).cores_per_rank, 0.5);
  // What is not known of one start is not known of the run.
  const TimeRecord unknown = with(&TimeRecord::waiting_share, none);
  EXPECT_TRUE(std::isnan(with_start(unknown, quiet()).waiting_share));
  EXPECT_TRUE(std::isnan(with_start(quiet(), unknown).waiting_share));
  EXPECT_TRUE(
      std::isnan(with_start(quiet(), with(&TimeRecord::load_from_others, none)).load_from_others));
  EXPECT_EQ(with_start(TimeRecord{}, quiet()).status, TimeEvidence::unknown);
}

TEST(TimeRecord, SaysWhy) {
  EXPECT_EQ(in_words(quiet()), "evidence of time: 2 cores a rank, 200 rounds");
  EXPECT_EQ(in_words(with(&TimeRecord::load_from_others, 1.7)),
            "unreliable times: others used 1.7 of 2 cores");
  EXPECT_EQ(in_words(with(&TimeRecord::waiting_share, 0.12)),
            "unreliable times: ranks waited for a core for 12.0 % of the time");
  EXPECT_EQ(in_words(with(&TimeRecord::cores_per_rank, 0.5)),
            "unreliable times: ranks share cores (0.5 a rank)");
  EXPECT_EQ(in_words(of_rounds(1)), "unreliable times: 1 round, fewer than 5");
  EXPECT_EQ(in_words(with(&TimeRecord::steal_share, 0.08)),
            "unreliable times: the hypervisor took 8.0 % of the processor time");
  EXPECT_EQ(in_words(TimeRecord{}),
            "unreliable times: the file does not record the load of the machine");
}

TEST(TimeRecord, NamesAreReadAgain) {
  for (const TimeEvidence one :
       {TimeEvidence::unknown, TimeEvidence::evidence, TimeEvidence::simulated,
        TimeEvidence::no_times, TimeEvidence::few_rounds, TimeEvidence::cores_shared,
        TimeEvidence::load_from_others, TimeEvidence::steal, TimeEvidence::load_unknown})
    EXPECT_EQ(time_evidence_named(name(one)), one);
  EXPECT_FALSE(time_evidence_named("good"));
}

TEST(TimeRecord, IsInTheRunFileUnlessTimesAreWithheld) {
  const testing::TempFolder folder;
  for (const bool is_withheld : {false, true}) {
    RunIdentity identity = testing::sample_identity();
    if (is_withheld) identity.withheld.add(Provenance::environment);
    const std::string path = folder.at("run.h5");
    {
      RunFile file(path, identity, testing::sample_metrics(), testing::sample_phase_names, true);
      file.add(testing::sample_row(0));
      file.add_phases(testing::sample_phases(), 1);
      file.set_times(quiet());
      file.finish(Vector(4, real{0}));
    }
    const TimeRecord found = recorded(h5::File::open(path));
    EXPECT_EQ(found.status, is_withheld ? TimeEvidence::no_times : TimeEvidence::evidence);
    EXPECT_EQ(std::isnan(found.load_from_others), is_withheld);
    EXPECT_EQ(found.timed_rounds, is_withheld ? 0 : 200);
  }
  const h5::File older = h5::File::change(folder.at("run.h5"));
  older.open_group("environment").remove_attribute("time_evidence");
  EXPECT_EQ(recorded(older).status, TimeEvidence::unknown);
}

}  // namespace trilemma::time_record_test
