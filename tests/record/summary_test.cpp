// Summaries of run files (src/record/summary.hpp): figures, JSON keys, refusals.

#include "record/summary.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

#include "h5/h5.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::summary_test {

using testing::expect_parts;
using testing::TempFolder;

// Eleven rounds, the metrics of which are known at even ones only.
std::string write_run(const TempFolder& folder, std::size_t model_size = 4) {
  const std::string path = folder.at("run.h5");
  RunIdentity identity = testing::sample_identity();
  testing::set_attribute(identity, "rounds", std::int64_t{11});
  RunFile file(path, identity, testing::sample_metrics(), testing::sample_phase_names);
  for (std::int64_t t = 0; t <= 11; ++t) {
    auto row = testing::sample_row(t);
    if (t % 2 == 1)
      for (const char* name : {"objective", "gradient_norm_squared", "utility", "accuracy"})
        row[name].number = std::numeric_limits<double>::quiet_NaN();
    if (t == 10) row["objective"].number = 0.75;
    file.add(row);
    file.add_phases(testing::sample_phases(), 1);
  }
  file.finish(Vector(model_size, real{0}));
  h5::File::change(path).set_attribute("wall_seconds", 2.0);
  return path;
}

std::string line_of(const std::string& text, const std::string& label) {
  const auto at = text.find("  " + label);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Summary, FiguresOfTheRun) {
  const TempFolder folder;
  const Summary s = read_summary(write_run(folder));
  EXPECT_EQ(s.name, "NAME");
  EXPECT_EQ(s.method, "cdp-sgd");
  EXPECT_TRUE(s.complete);
  EXPECT_EQ(s.rounds, 11);
  EXPECT_EQ(s.rounds_done, 11);
  EXPECT_EQ(s.clients, 3);
  EXPECT_EQ(s.ranks, 2);
  EXPECT_EQ(s.objective_final, 0.75);      // the last known one
  EXPECT_EQ(s.objective_best, 1.0 / 9.0);  // round 8
  EXPECT_EQ(s.gradient_norm_squared_final, 2.0 / 11.0);
  EXPECT_EQ(s.utility, 3.0 / 11.0);
  EXPECT_EQ(s.accuracy_final, 0.5);
  EXPECT_EQ(s.up.model, 110);
  EXPECT_EQ(s.up.payload, 121);
  EXPECT_EQ(s.up.mpi, 165);
  EXPECT_EQ(s.down.model, 132);
  EXPECT_EQ(s.down.payload, 143);
  EXPECT_EQ(s.down.mpi, 176);
}

// The summary takes metrics from the file; it has no list of its own.
TEST(Summary, ShowsColumnsThatItDoesNotKnow) {
  const TempFolder folder;
  const std::string path = folder.at("run.h5");
  auto metrics = testing::sample_metrics();
  metrics.push_back({.name = "model_norm",
                     .units = "s",
                     .description = "of a test",
                     .provenance = Provenances::none()});
  metrics.push_back({.name = "stale",
                     .units = "message",
                     .description = "of a test",
                     .provenance = Provenances::none(),
                     .kind = Metric::Kind::count});
  {
    RunFile file(path, testing::sample_identity(), metrics, testing::sample_phase_names);
    for (std::int64_t t = 0; t <= 2; ++t) {
      auto row = testing::sample_row(t);
      row.cells.push_back({.number = t < 2 ? 2.5 : std::numeric_limits<double>::quiet_NaN()});
      row.cells.push_back({.count = static_cast<std::uint64_t>(1'000'000 * t + 1)});
      file.add(row);
      file.add_phases(testing::sample_phases(), 1);
    }
    file.finish(Vector(4, real{0}));
  }
  const Summary s = read_summary(path);
  const std::string text = to_text(s, 1000);
  for (const char* part : {"also recorded", "model norm 2.5 s", "stale 2000001"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  const std::string json = to_json(s);
  for (const char* part : {"\"model_norm\": 2.5,", "\"stale\": 2000001"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

// Over the ranks of the sum over the rounds; row 0 is the set-up.
TEST(Summary, SecondsPerPhase) {
  const TempFolder folder;
  const Summary s = read_summary(write_run(folder));
  ASSERT_EQ(s.phases.size(), 3U);
  EXPECT_EQ(s.phases[0].name, "local");
  EXPECT_NEAR(s.phases[0].mean, 11 * 0.5, 1e-12);
  EXPECT_NEAR(s.phases[0].most, 11 * 1.0, 1e-12);
  EXPECT_NEAR(s.phases[2].mean, 11 * 0.7, 1e-12);
  EXPECT_NEAR(s.phases[2].most, 11 * 1.2, 1e-12);
}

// Rank 0 works while rank 1 waits, and vice versa: the maxima add up to 7 s a round, of which no
// rank has more than 5, one of them for evaluation.
TEST(Summary, TheCriticalPathIsThatOfOneRank) {
  const TempFolder folder;
  const std::vector<std::string> names{"local", "exchange", "evaluate"};
  RunIdentity identity = testing::sample_identity();
  testing::set_attribute(identity, "rounds", std::int64_t{2});
  const std::string path = folder.at("run.h5");
  {
    RunFile file(path, identity, testing::sample_metrics(), names);
    for (std::int64_t t = 0; t <= 2; ++t) {
      file.add(testing::sample_row(t));
      file.add_phases({3, 0.5, 1, 1, 3, 1}, 1);
    }
    file.finish(Vector(4, real{0}));
  }
  const Summary s = read_summary(path);
  EXPECT_EQ(s.critical_rank, 1);
  EXPECT_DOUBLE_EQ(s.critical_seconds, 2 * 5);
  double parts = 0, maxima = 0;
  for (const auto& phase : s.phases) {
    parts += phase.critical;
    maxima += phase.most;
  }
  EXPECT_DOUBLE_EQ(parts, s.critical_seconds);
  EXPECT_DOUBLE_EQ(maxima, 2 * 7);
  EXPECT_DOUBLE_EQ(s.rounds_per_second, 2.0 / (2 * 4));  // without evaluation
  const std::string text = to_text(s, 1000);
  expect_parts(line_of(text, "time"),
               {"8000 ms for the rounds (0.25 a second), without evaluation and recording"});
  for (const char* part : {"mean              maximum   slowest rank 1\n",
                           "local           4000 ms   42.1 %     6000 ms          2000 ms\n",
                           "exchange        3500 ms   36.8 %     6000 ms          6000 ms\n",
                           "together        9500 ms                              10000 ms\n",
                           "delivered to other ranks"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  const auto json = nlohmann::json::parse(to_json(s));
  EXPECT_EQ(json["seconds_critical_path"], 10);
  EXPECT_EQ(json["critical_rank"], 1);
  EXPECT_EQ(json["rounds_per_second"], 0.25);
  EXPECT_EQ(json["seconds_per_phase"]["local"]["mean"], 4);
  EXPECT_EQ(json["seconds_per_phase"]["local"]["max"], 6);
  EXPECT_EQ(json["seconds_per_phase"]["local"]["critical_path"], 2);
}

// sha256 of sixteen zero bytes (float) or of thirty-two (double).
TEST(Summary, HashOfTheModelIsOverItsBytes) {
  const TempFolder folder;
  EXPECT_EQ(read_summary(write_run(folder)).model_sha256,
            sizeof(real) == 4 ? "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb"
                              : "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925");
}

TEST(Summary, JsonHasTheKeysThatProgramsRead) {
  const TempFolder folder;
  const auto json = nlohmann::json::parse(to_json(read_summary(write_run(folder))));
  for (const char* key : {"method",
                          "rounds",
                          "objective_final",
                          "objective_best",
                          "grad_norm_sq_final",
                          "utility",
                          "accuracy_final",
                          "bits_up",
                          "bits_down",
                          "seconds_total",
                          "seconds_per_phase",
                          "seconds_critical_path",
                          "rounds_per_second",
                          "epsilon_nominal",
                          "epsilon_accounted",
                          "epsilon_spent",
                          "delta",
                          "claim",
                          "complete",
                          "model_sha256"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* side : {"bits_up", "bits_down"})
    for (const char* count : {"model", "payload", "mpi"})
      EXPECT_TRUE(json[side].contains(count)) << side << count;
  EXPECT_EQ(json["rounds"], 11);
  EXPECT_EQ(json["bits_up"]["payload"], 121);
  EXPECT_TRUE(json["epsilon_nominal"].is_null());  // NaN is no JSON
  EXPECT_EQ(json["complete"], true);
}

TEST(Summary, TextComparesTheScoreWithConstantAnswers) {
  Summary s{};
  s.accuracy_final = 0.75;
  s.test_error_final = s.client_score_final = std::numeric_limits<double>::quiet_NaN();
  s.baseline_score = 0.75;
  s.baseline_personal_score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(line_of(to_text(s, 1000), "test accuracy")
                .find("75.0 %, NO BETTER than always answering the most frequent class (75.0 %)"),
            std::string::npos);
  s.accuracy_final = 0.875;
  EXPECT_NE(line_of(to_text(s, 1000), "test accuracy")
                .find("87.5 %; for comparison: always answering the most frequent class (75.0 %)"),
            std::string::npos);
}

// What has been spent is that of the rounds that are done, not of the plan.
TEST(Summary, TextOfAnUnfinishedRunSaysWhatHasBeenSpentSoFar) {
  Summary s{};
  s.rounds = 100;
  s.rounds_done = 20;
  s.epsilon_nominal = 2;
  s.epsilon_spent = 0.75;
  s.privacy.epsilon = 1.5;
  s.claim = "holds: so far so good";
  EXPECT_NE(line_of(to_text(s, 1000), "epsilon")
                .find("nominal 2, 0.75 spent in 20 rounds so far, 1.5 after all 100 ("),
            std::string::npos);
  EXPECT_NE(line_of(to_text(s, 1000), "claim once complete").find("holds:"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(s))["epsilon_spent"], 0.75);
  s.complete = true;
  EXPECT_NE(line_of(to_text(s, 1000), "epsilon").find("nominal 2, accounted 1.5 ("),
            std::string::npos);
}

// An error is better if it is smaller.
TEST(Summary, TextComparesTheErrorWithConstantAnswers) {
  Summary s{};
  s.accuracy_final = std::numeric_limits<double>::quiet_NaN();
  s.test_error_final = 2;
  s.baseline_score = 3;
  s.client_score_final = 4;
  s.baseline_personal_score = 3.5;
  const std::string text = to_text(s, 1000);
  EXPECT_NE(line_of(text, "test error").find("2; for comparison: always answering the mean"),
            std::string::npos);
  EXPECT_NE(line_of(text, "mean over clients").find("4, NO BETTER than each client's mean target"),
            std::string::npos);
}

TEST(Summary, TextShowsBitsWithUnitsAndPerClient) {
  Summary s{};
  s.clients = 4;
  s.up = {2e6, 1e6, 0};
  EXPECT_NE(line_of(to_text(s, 1000), "sent per client")
                .find("250 kbit in the mean, 500 kbit by the paper's count; all clients 1 Mbit, "
                      "0 bit through MPI"),
            std::string::npos);
}

// Sample rows have the objective 1 / (1 + round).
TEST(Summary, DivergedIfTheObjectiveEndsAboveItsStart) {
  const TempFolder folder;
  const auto last_objective = [&](double value) {
    const std::string path = folder.at("run.h5");
    RunIdentity identity = testing::sample_identity();
    testing::set_attribute(identity, "rounds", std::int64_t{2});
    {
      RunFile file(path, identity, testing::sample_metrics(), testing::sample_phase_names, true);
      for (std::int64_t t = 0; t <= 2; ++t) {
        auto row = testing::sample_row(t);
        if (t == 2) row["objective"].number = value;
        file.add(row);
        file.add_phases(testing::sample_phases(), 1);
      }
      file.finish(Vector(4, real{0}));
    }
    return read_summary(path);
  };
  EXPECT_FALSE(last_objective(0.5).diverged);
  EXPECT_FALSE(last_objective(1).diverged);
  const Summary above = last_objective(1.5);
  EXPECT_FALSE(above.diverged);
  EXPECT_NE(to_text(above, 1000).find("1.5, above that of the start; 1 at the start"),
            std::string::npos);
  EXPECT_FALSE(last_objective(1000).diverged);
  const Summary s = last_objective(1001);
  EXPECT_TRUE(s.diverged);
  EXPECT_EQ(to_text(s, 1000).find("above that of the start; "), std::string::npos);
  EXPECT_EQ(s.objective_start, 1);
  EXPECT_NE(to_text(s, 1000).find("  DIVERGED: "), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(s))["diverged"], true);
  EXPECT_TRUE(last_objective(std::numeric_limits<double>::infinity()).diverged);
  const Summary lost = last_objective(std::numeric_limits<double>::quiet_NaN());  // was evaluated
  EXPECT_TRUE(lost.diverged);
  EXPECT_NE(to_text(lost, 1000).find("NaN at the end, "), std::string::npos);
  EXPECT_EQ(to_text(s, 1000).find("NaN at the end, "), std::string::npos);
}

TEST(Summary, LinesOfTheTextFit) {
  const TempFolder folder;
  Summary s = read_summary(write_run(folder));
  for (int i = 0; i < 40; ++i) s.claim += ", except for something";
  const std::string text = to_text(s, 90);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(text.find('\n', at) - at, 90U) << text;
}

TEST(Summary, TextNamesWhatIsIncomplete) {
  Summary s;
  s.failure = "round 3: nan";
  EXPECT_NE(to_text(s, 1000).find("INCOMPLETE: round 3: nan"), std::string::npos);
  s.complete = true;
  EXPECT_EQ(to_text(s, 1000).find("INCOMPLETE"), std::string::npos);
}

TEST(Summary, RefusesWhatIsNoRunFile) {
  const TempFolder folder;
  const auto refused = [&](const std::string& path) {
    return testing::refusal([&] { read_summary(path); });
  };
  expect_parts(refused(folder.at("none.h5")), {"none.h5", "no such file"});
  expect_parts(refused(folder.path()), {folder.path(), "a folder; name a run file in it"});
  expect_parts(refused(folder.write("empty.h5", "")), {"empty.h5", "not an HDF5 file"});
  expect_parts(refused(folder.write("text.h5", "hello")), {"text.h5", "not an HDF5 file"});
  { h5::File::create(folder.at("other.h5")); }
  expect_parts(refused(folder.at("other.h5")), {"other.h5", "not a run file"});
}

TEST(Summary, RefusesAnotherSchemaVersion) {
  const TempFolder folder;
  {
    const h5::File file = h5::File::create(folder.at("new.h5"));
    file.set_attribute("schema", std::string("trilemma-run"));
    file.set_attribute<std::int64_t>("schema_version", 99);
  }
  expect_parts(testing::refusal([&] { read_summary(folder.at("new.h5")); }),
               {"new.h5", "schema version 99", "reads 4"});
}

// Cut off anywhere, a file is refused in one sentence and never crashes the reader.
TEST(Summary, SurvivesTruncatedFiles) {
  const TempFolder folder;
  const auto bytes = testing::bytes_of(write_run(folder));
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 23 + 1) {
    const std::string path = folder.write("cut.h5", std::span(bytes).first(size));
    try {
      read_summary(path);
      ADD_FAILURE() << "read a file of " << size << " of " << bytes.size() << " bytes";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("cut.h5"), std::string::npos) << error.what();
    }
  }
}

}  // namespace trilemma::summary_test
