// The run file (src/record/run_file.hpp, docs/reference/run-file.md): written under another name
// and renamed, readable while it grows, every data set with units and description, reasons kept.

#include "record/run_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "h5/h5.hpp"
#include "record/checkpoint_file.hpp"
#include "record/summary.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::run_file_test {

using testing::sample_identity;
using testing::sample_metrics;
using testing::sample_phase_names;
using testing::sample_phases;
using testing::sample_row;
using testing::TempFolder;

const Vector model{1, 2, 3, static_cast<real>(0.5)};

void write_run(const std::string& path, std::int64_t rounds) {
  RunFile file(path, sample_identity(), sample_metrics(), sample_phase_names);
  for (std::int64_t t = 0; t <= rounds; ++t) {
    file.add(sample_row(t));
    file.add_phases(sample_phases(), 1);
  }
  file.finish(model);
}

TEST(RunFile, IsWrittenBesideItsNameAndRenamed) {
  const TempFolder folder;
  const std::string path = folder.at("deep/er/run.h5");
  {
    RunFile file(path, sample_identity(), sample_metrics(), sample_phase_names);
    EXPECT_EQ(file.path(), path);
    EXPECT_EQ(file.partial_path(), path + ".partial");
    EXPECT_TRUE(std::filesystem::exists(path + ".partial"));
    EXPECT_FALSE(std::filesystem::exists(path));
    file.add(sample_row(0));
    file.finish(model);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(RunFile, HoldsAttributesColumnsPhasesAndModel) {
  const TempFolder folder;
  const std::string path = folder.at("run.h5");
  write_run(path, 10);
  const h5::File file = h5::File::open(path);
  EXPECT_EQ(file.text_attribute("schema"), "trilemma-run");
  EXPECT_EQ(file.number_attribute("schema_version"), 4);
  EXPECT_EQ(file.number_attribute("complete"), 1);
  EXPECT_EQ(file.text_attribute("failure"), "");
  EXPECT_EQ(file.text_attribute("claim"), testing::sample_claim);
  EXPECT_EQ(file.number_attribute("noise_sigma"), 0.25);
  const double seconds = file.number_attribute("wall_seconds");
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 60);
  EXPECT_EQ(file.read_texts("config").at(0), sample_identity().config);
  EXPECT_EQ(file.read_texts("environment/cpu").at(0), "a machine");
  const auto column = [&](const char* name) { return file.read_numbers(name, 10000); };
  ASSERT_EQ(column("rounds/round").size(), 11U);
  for (std::size_t t = 0; t < 11; ++t) {
    auto row = sample_row(static_cast<std::int64_t>(t));
    EXPECT_EQ(column("rounds/round")[t], static_cast<double>(t));
    for (const Metric& metric : sample_metrics()) {
      const std::string name =
          std::string(metric.depends_on_ranks ? "mpi/" : "rounds/") + metric.name;
      const double found = column(name.c_str()).at(t);
      const Cell cell = row[metric.name];
      if (metric.is_count())
        EXPECT_EQ(found, static_cast<double>(cell.count)) << name;
      else if (std::isnan(cell.number))
        EXPECT_TRUE(std::isnan(found)) << name;
      else
        EXPECT_EQ(found, cell.number) << name;
    }
  }
  const h5::Dataset phases = file.open_dataset("phases/seconds");
  const auto extents = phases.extents(3);
  EXPECT_EQ(extents, (std::vector<std::uint64_t>{11, 2, 3}));
  EXPECT_EQ(phases.read_rows<double>(extents, 4, 1)[3], 1.0);
  EXPECT_EQ(file.read_texts("phases/name"), sample_phase_names);
  EXPECT_FALSE(file.has_member("phases/node"));  // not known for this run
  const auto final_model = file.read_numbers("model/final", 4);
  EXPECT_EQ(final_model, (std::vector<double>{1, 2, 3, 0.5}));
}

TEST(RunFile, HasEnergyWhereItIsCounted) {
  const TempFolder folder;
  RunIdentity id = sample_identity();
  {
    const RunFile without(folder.at("a.h5"), id, sample_metrics(), sample_phase_names);
    EXPECT_FALSE(without.records_energy());
  }
  id.records_energy = true;
  RunFile file(folder.at("run.h5"), id, sample_metrics(), sample_phase_names);
  ASSERT_TRUE(file.records_energy());
  for (std::int64_t t = 0; t <= 2; ++t) {
    file.add(sample_row(t));
    file.add_phases(sample_phases(), 1);
    file.add_energy({8, 4, 100}, 1);
  }
  file.finish(model);
  const Summary s = read_summary(folder.at("run.h5"));
  EXPECT_EQ(s.phases[1].joules, 2 * 4);  // the row of the start does not count
  EXPECT_EQ(s.round_joules, 2 * 12);     // without the phase record
  const std::string wide = to_text(s, 200);
  EXPECT_NE(
      wide.find("24 J for the rounds (12 J a round), without evaluation and recording; of all: "
                "record 89.3 %, local 7.1 %, exchange 3.6 %"),
      std::string::npos)
      << wide;
}

TEST(RunFile, SaysWhereTheRanksWereAndWhereTheyWereAskedFor) {
  const TempFolder folder;
  RunIdentity id = sample_identity();
  id.nodes = {.node = {0, 1}, .asked = NodeRecord::Asked{1, 2, 3, 1, false}};
  const std::string path = folder.at("run.h5");
  RunFile(path, id, sample_metrics(), sample_phase_names).suspend();
  id.nodes.asked->nodes = 0;
  const std::string free = folder.at("free.h5");
  RunFile(free, id, sample_metrics(), sample_phase_names).suspend();
  const h5::File other = h5::File::open(free + ".partial");
  EXPECT_FALSE(other.open_group("environment").has_attribute("placement_as_asked"));
  const h5::File file = h5::File::open(path + ".partial");
  EXPECT_EQ(file.read_numbers("phases/node", 2), (std::vector<double>{0, 1}));
  const h5::Group environment = file.open_group("environment");
  const auto number = [&](const char* name) { return environment.number_attribute(name); };
  EXPECT_EQ(number("nodes_asked"), 1);
  EXPECT_EQ(number("ranks_per_node_asked"), 2);
  EXPECT_EQ(number("cores_per_rank_asked"), 3);
  EXPECT_EQ(number("threads_per_core_asked"), 1);
  EXPECT_EQ(number("placement_as_asked"), 0);
}

// A killed run leaves a readable partial file. The copy
// is what is on the disk at that moment.
TEST(RunFile, IsReadableWhileItGrows) {
  const TempFolder folder;
  RunFile file(folder.at("run.h5"), sample_identity(), sample_metrics(), sample_phase_names);
  const auto copy = [&](const char* name) {
    std::filesystem::copy_file(file.partial_path(), folder.at(name));
    return read_summary(folder.at(name));
  };
  EXPECT_EQ(copy("fresh.h5").rounds_done, 0);
  for (std::int64_t t = 0; t <= 4; ++t) {
    file.add(sample_row(t));
    file.add_phases(sample_phases(), 1);
  }
  file.flush();
  const Summary partial = copy("grown.h5");
  EXPECT_FALSE(partial.complete);
  EXPECT_EQ(partial.rounds_done, 4);
  EXPECT_EQ(partial.objective_final, 0.2);
  EXPECT_EQ(partial.model_sha256, "");
}

TEST(RunFile, AFailedRunKeepsItsReasonAndItsRows) {
  const TempFolder folder;
  {
    RunFile file(folder.at("run.h5"), sample_identity(), sample_metrics(), sample_phase_names);
    for (std::int64_t t = 0; t <= 3; ++t) file.add(sample_row(t));
    file.fail("round 3: the objective is nan", model);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.at("run.h5")));
  const Summary summary = read_summary(folder.at("run.h5.partial"));
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(summary.failure, "round 3: the objective is nan");
  EXPECT_EQ(summary.rounds_done, 3);
}

TEST(RunFile, RowsOfManyBlocksArriveInOrder) {
  const TempFolder folder;
  write_run(folder.at("run.h5"), 9000);
  const h5::File file = h5::File::open(folder.at("run.h5"));
  const auto rounds = file.read_numbers("rounds/round", 10000);
  ASSERT_EQ(rounds.size(), 9001U);
  for (std::size_t t = 0; t < rounds.size(); ++t) ASSERT_EQ(rounds[t], static_cast<double>(t));
}

// docs/reference/run-file.md: every data set carries the attributes `units` and `description`.
TEST(RunFile, EveryDataSetHasUnitsAndDescription) {
  const TempFolder folder;
  write_run(folder.at("run.h5"), 2);
  const h5::File file = h5::File::open(folder.at("run.h5"));
  int sets = 0;
  const std::function<void(const h5::Group&, const std::string&)> look =
      [&](const h5::Group& group, const std::string& at) {
        for (const auto& name : group.member_names()) {
          if (group.is_group(name)) {
            look(group.open_group(name), at + name + "/");
            continue;
          }
          ++sets;
          const h5::Dataset set = group.open_dataset(name);
          EXPECT_FALSE(set.text_attribute("units").empty()) << at << name;
          EXPECT_GT(set.text_attribute("description").size(), 5U) << at << name;
        }
      };
  look(file, "/");
  // config, partition, environment with vector_bits and variables, ranks and nodes on record,
  // round, metrics, phases, model, starts, checkpoints
  EXPECT_EQ(sets, 1 + 2 + 5 + 2 + 13 + 16 + 1 + static_cast<int>(sample_metrics().size()) + 2 + 2 +
                      3 + 3);
}

TEST(RunFile, RefusesAPathThatCannotBeWritten) {
  const TempFolder folder;
  const std::string file = folder.write("file", "not a folder");
  testing::expect_parts(testing::refusal([&] {
                          RunFile run(file + "/run.h5", sample_identity(), sample_metrics(),
                                      sample_phase_names);
                        }),
                        {file + "/run.h5", "cannot be written", "--output"});
  EXPECT_EQ(testing::bytes_of(file).size(), 12U);  // and what stood there is unharmed
}

// A checkpoint of a run that has stopped after its third round; returns the run's path.
std::string stopped_run(const TempFolder& folder) {
  const std::string path = folder.at("run.h5");
  RunFile file(path, sample_identity(), sample_metrics(), sample_phase_names);
  for (std::int64_t t = 0; t <= 3; ++t) file.add(sample_row(t));
  file.checkpoint(3)->finish({}, {});
  file.suspend();
  return path;
}

TEST(RunFile, GoesOnFromACheckpointWithItsRows) {
  const TempFolder folder;
  const std::string path = stopped_run(folder);
  const CheckpointReader checkpoint({path + ".checkpoint-3", 3});
  RunFile file(path, sample_identity(), sample_metrics(), checkpoint);
  testing::expect_parts(testing::refusal([&] {
                          RunFile second(path, sample_identity(), sample_metrics(), checkpoint);
                        }),
                        {"another run is writing to it"});
  file.add(sample_row(4));
  file.finish(model);
  EXPECT_EQ(read_summary(path).rounds_done, 4);
}

TEST(RunFile, ACheckpointThatCannotTakeItsPlaceLeavesNothing) {
  const TempFolder folder;
  const std::string path = stopped_run(folder);
  const CheckpointReader checkpoint({path + ".checkpoint-3", 3});
  std::filesystem::remove(path + ".partial");
  std::filesystem::create_directory(path + ".partial");
  testing::expect_parts(testing::refusal([&] {
                          RunFile file(path, sample_identity(), sample_metrics(), checkpoint);
                        }),
                        {path + ".partial", "cannot be written"});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"run.h5.checkpoint-3", "run.h5.partial"}));
}

}  // namespace trilemma::run_file_test
