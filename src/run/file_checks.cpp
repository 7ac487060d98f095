#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/phase_timer.hpp"
#include "experiment/data_files.hpp"
#include "federation/start_model.hpp"
#include "record/phase_times.hpp"
#include "run/file_check.hpp"
#include "run/finished_run.hpp"
#include "run/identity.hpp"
#include "run/partition_report.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_values = std::uint64_t{1} << 33U;
constexpr std::size_t sum_digits = 64;

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Returns the numbers of records by client; reports impossible ones.
std::vector<double> sizes_in(FileCheck& check, const char* name, double least) {
  const auto sizes = check.file.read_numbers(name, most_values);
  check.check_rows(name, sizes.size(), [&](std::size_t row) -> std::optional<Difference> {
    if (sizes[row] >= least && sizes[row] == std::floor(sizes[row]) && std::isfinite(sizes[row]))
      return {};
    return wrong(Mismatch::odd, sizes[row], least);
  });
  return sizes;
}

void check_spread(FileCheck& check, const h5::Group& group, const char* name,
                  const std::vector<double>& sizes) {
  for (const auto& [field, follows] : numbers_of(name, quartiles_of(sizes)))
    check.expect_as(std::string("/partition/") + name, "/partition@" + field,
                    group.number_attribute(field), follows);
}

bool is_sum(const std::string& text) {
  return text.size() == sum_digits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void check_data_files(FileCheck& check) {
  const RecordedSums sums = sums_of(check.run.data_files);
  const bool has_records_sums = !check.plan.privacy.strict;
  std::vector<std::string> names = check.plan.source->files();
  for (const auto& file : check.plan.files) names.push_back(file.path());
  for (const auto& name : names) {
    const auto found = sums.find(name);
    const bool is_named = std::ranges::count(check.plan.files, name, &NamedFile::path) > 0;
    const bool is_good =
        found != sums.end() && (is_sum(found->second) || (!has_records_sums && !is_named));
    if (!is_good) check.report({.kind = Mismatch::missing, .field = "the SHA-256 of " + name});
  }
}

void check_environment(FileCheck& check) {
  if (!check.require_member("environment")) return;
  const auto text = [&](const std::string& name) {
    return check.file.read_text("environment/" + name);
  };
  const RunFacts inputs{.plan = check.plan, .claim = check.claim};
  for (const auto& field : environment_fields()) {
    const std::string member = "environment/" + field.name;
    if (field.is_optional && !check.has(member)) continue;
    if (!check.require_member(member)) return;
    if (field.compared == Compared::exactly)
      check.expect("/environment/" + field.name, FieldValue(text(field.name)), field.get(inputs));
  }
  check.expect_as("/model/start", "bits of /environment/real",
                  text("real") == "float32"   ? 32
                  : text("real") == "float64" ? 64
                                              : 0,
                  check.real_bits);
  check_data_files(check);
}

// Returns the values of a model as doubles, which represent either width exactly.
std::vector<double> model_in(FileCheck& check, const char* name) {
  const h5::Dataset set = check.file.open_dataset(name);
  const auto size = set.extents(1);
  check.expect(std::string("number of values of /") + name, static_cast<double>(size[0]),
               static_cast<double>(check.plan.shape().state));
  check.expect_as("/model/start", std::string("bits of a value of /") + name,
                  static_cast<double>(8 * set.value_size()), check.real_bits);
  return set.read_rows<double>(size, 0, size[0]);
}

void check_finite(FileCheck& check, const char* name, const std::vector<double>& values) {
  check.check_rows(name, values.size(), [&](std::size_t row) -> std::optional<Difference> {
    if (std::isfinite(values[row])) return {};
    return wrong(Mismatch::odd, values[row], 0);
  });
}

// Compares the start model with that of the seed, or with that of a start file that still exists.
void check_start(FileCheck& check, const std::vector<double>& recorded) {
  const StartPlan& start = check.plan.start;
  const bool is_known = !start.at_optimum && (!start.file.is_set() || start.file.is_unchanged());
  if (!is_known || !check.same_width || recorded.size() != check.plan.shape().state) return;
  const Vector follows =
      check.plan.shape().begin(start_model(start, check.plan.seed, *check.plan.problem));
  constexpr double rounding = 1e-5;  // another processor may round numbers of N(0, 1) differently
  check.check_rows("model/start", recorded.size(),
                   [&](std::size_t row) -> std::optional<Difference> {
                     const auto expected = static_cast<double>(follows[row]);
                     if (same_number(recorded[row], expected, rounding)) return {};
                     return wrong(Mismatch::configuration, recorded[row], expected);
                   });
}

// Checks the maxima and slowest ranks of summarised times.
void check_summary_of_phases(FileCheck& check) {
  const h5::Dataset largest = check.file.open_dataset(std::string("phases/") + largest_times);
  const h5::Dataset slowest = check.file.open_dataset(std::string("phases/") + slowest_ranks);
  const auto size = largest.extents(2);
  if (slowest.extents(2) != size)
    check.expect("number of rows of /phases/slowest", static_cast<double>(slowest.extents(2)[0]),
                 static_cast<double>(size[0]));
  const auto seconds = largest.read_rows<double>(size, 0, size[0]);
  const auto ranks = slowest.read_rows<double>(slowest.extents(2), 0, slowest.extents(2)[0]);
  const double most = *std::ranges::max_element(check.ranks);
  const auto limit = [&](const char* name, const std::vector<double>& values, double high) {
    check.check_rows(name, values.size(), [&](std::size_t i) {
      return std::isnan(values[i]) ? std::nullopt : outside_of(values[i], 0, high);
    });
  };
  limit("phases/largest", seconds, check.withheld.holds(Provenance::environment) ? 0 : no_limit);
  limit("phases/slowest", ranks, most - 1);
}

// Checks the energy by round and phase, if it was counted.
void check_energy(FileCheck& check) {
  const std::string name = std::string("phases/") + phase_energy;
  if (!check.file.has_member(name)) return;
  const h5::Dataset set = check.file.open_dataset(name);
  const auto size = set.extents(2);
  if (check.run.complete && size[0] != check.rows)
    check.expect_as("/rounds/round", "number of rows of /phases/joules",
                    static_cast<double>(size[0]), static_cast<double>(check.rows));
  const double most = check.withheld.holds(Provenance::environment) ? 0 : no_limit;
  const auto joules = set.read_rows<double>(size, 0, size[0]);
  check.check_rows(name.c_str(), joules.size(), [&](std::size_t i) {
    return std::isnan(joules[i]) ? std::nullopt : outside_of(joules[i], 0, most);
  });
}

// Checks the seconds of the rounds by rank; reports the first negative time, or any time if times
// must be omitted.
void check_phases(FileCheck& check) {
  const h5::Dataset set = check.file.open_dataset("phases/seconds");
  const auto size = phase_extents(set);
  if (has_summarised_phases(check.file)) check_summary_of_phases(check);
  check_energy(check);
  check.expect("number of phases", static_cast<double>(size[2]), static_cast<double>(phase_count));
  if (check.run.complete && size[0] != check.rows)
    check.expect_as("/rounds/round", "number of rows of /phases/seconds",
                    static_cast<double>(size[0]), static_cast<double>(check.rows));
  const auto width = static_cast<std::size_t>(size[1] * size[2]);
  if (width == 0) return;
  std::vector<double> by_rank(static_cast<std::size_t>(size[1]), 0.0);
  constexpr std::uint64_t rows_at_once = 1024;
  const bool is_withheld = check.withheld.holds(Provenance::environment);
  std::optional<Difference> odd;
  for (std::uint64_t first = 0; first < size[0]; first += rows_at_once) {
    const auto part = set.read_rows<double>(size, first, std::min(rows_at_once, size[0] - first));
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (std::isnan(part[i])) continue;
      if (!odd && (part[i] < 0 || (is_withheld && part[i] > 0))) {
        odd = wrong(part[i] < 0 ? Mismatch::below : Mismatch::unexpected, part[i], 0);
        odd->field = "/phases/seconds";
        odd->row = first + i / width;
      }
      by_rank[i % width / size[2]] += part[i];
    }
  }
  if (odd) check.report(*odd);
  // The phases contain rounds that a restart repeats only once.
  if (!check.run.simulation.empty() || !check.run.complete || std::isnan(check.run.wall_seconds))
    return;
  constexpr double slack_seconds = 1;
  const double most = check.run.wall_seconds * 1.01 + slack_seconds;
  for (const double seconds : by_rank)
    if (seconds > most) {
      check.expect_as("wall_seconds", "sum of /phases/seconds of a rank", seconds,
                      check.run.wall_seconds);
      return;
    }
}

void check_starts(FileCheck& check) {
  const auto rounds = check.file.read_numbers("starts/round", most_values);
  check.expect("number of values of /starts/ranks", static_cast<double>(check.ranks.size()),
               static_cast<double>(rounds.size()));
  check.check_rows("starts/round", rounds.size(), [&](std::size_t row) {
    const double least = row == 0 ? 0 : rounds[row - 1];
    return outside_of(rounds[row], least, row == 0 ? 0 : static_cast<double>(check.rows) - 1);
  });
  check.check_rows("starts/ranks", check.ranks.size(), [&](std::size_t row) {
    return outside_of(check.ranks[row], 1, std::numeric_limits<double>::max());
  });
  if (rounds.empty()) check.report({.kind = Mismatch::missing, .field = "/starts"});
  if (!check.ranks.empty())
    check.expect_as("/starts/ranks", "ranks", static_cast<double>(check.run.ranks),
                    check.ranks.back());
}

}  // namespace

void check_partition(FileCheck& check) {
  if (!check.require_member("partition")) return;
  const h5::Group group = check.file.open_group("partition");
  PartitionRecord follows;
  follows.kind = check.plan.partition_kind;
  follows.hosting = check.plan.hosts_by_records ? "records" : "clients";
  check_fields(check, group, "/partition@", partition_fields(), &follows);
  const auto records = sizes_in(check, "partition/records", 1);
  const auto held_out = sizes_in(check, "partition/held_out", 0);
  check.expect("number of values of /partition/records", static_cast<double>(records.size()),
               static_cast<double>(check.plan.clients));
  if (records.empty()) return;
  check_spread(check, group, "records", records);
  check_spread(check, group, "held_out", held_out.empty() ? std::vector<double>{0.0} : held_out);
  const double unassigned = group.number_attribute("unassigned");
  check.limit("/partition@imbalance", group.number_attribute("imbalance"), 1,
              static_cast<double>(check.plan.clients));
  const double used = total(records) + unassigned + (check.plan.held_out > 0 ? total(held_out) : 0);
  if (const auto known = static_cast<double>(check.plan.known_records()); known > 0)
    check.expect("number of records in /partition", used, known);
  const std::string assignment = group.text_attribute("assignment");
  if (!check.withheld.holds(Provenance::checksums)) {
    if (!is_sum(assignment)) check.expect("/partition@assignment", assignment, "a SHA-256");
  } else if (!assignment.empty()) {
    check.report({.kind = Mismatch::unexpected, .field = "/partition@assignment"});
  }
}

void check_models(FileCheck& check) {
  const auto start = model_in(check, "model/start");
  check_finite(check, "model/start", start);
  check_start(check, start);
  if (!check.run.complete || !check.require_member("model/final")) return;
  check_finite(check, "model/final", model_in(check, "model/final"));
}

void check_identity(FileCheck& check) {
  const std::string recorded = check.file.text_attribute("fingerprint");
  check.expect("fingerprint", recorded,
               check.plan.fingerprint + (check.is_replay ? replay_mark : ""));
  if (check.run.complete) check.expect("failure", check.run.failure, "");
  check.limit("extended_from", static_cast<double>(check.run.extended_from), 0,
              static_cast<double>(check.plan.rounds) - 1);
  const double most = check.plan.source->classes() > 0 ? 1 : std::numeric_limits<double>::max();
  for (const auto& [name, score] :
       {std::pair("baseline_score", check.run.baseline_score),
        std::pair("baseline_personal_score", check.run.baseline_personal_score)})
    if (!std::isnan(score)) check.limit(name, score, 0, most);
  check_environment(check);
}

// The judgement must follow from the recorded numbers. A run that an older program began has none.
void check_time_record(FileCheck& check) {
  const TimeRecord& record = check.run.times;
  const std::string& attribute = time_fields().front().name;
  const std::string field = "/environment@" + attribute;
  const h5::Group environment = check.file.open_group("environment");
  if (environment.has_attribute(attribute) &&
      !time_evidence_named(environment.text_attribute(attribute)))
    check.report({.kind = Mismatch::unknown, .field = field});
  if (!check.run.complete || record.status == TimeEvidence::unknown) return;
  check.expect(field, std::string(name(record.status)), std::string(name(judged(record))));
  const bool is_simulated_run = !check.run.simulation.empty();
  if (is_simulated_run != (record.status == TimeEvidence::simulated))
    check.report({.kind = Mismatch::unexpected, .field = field});
  if (check.withheld.holds(Provenance::environment) && !std::isnan(record.load_from_others))
    check.report({.kind = Mismatch::unexpected, .field = "/environment@load_from_others"});
  check_fields(check, environment, "/environment@", time_fields());
}

void check_times(FileCheck& check) {
  check_time_record(check);
  if (!check.withheld.holds(Provenance::environment))
    check.limit("wall_seconds", check.run.wall_seconds, 0, std::numeric_limits<double>::max());
  else if (!std::isnan(check.run.wall_seconds))
    check.report({.kind = Mismatch::unexpected, .field = "wall_seconds"});
  check_starts(check);
  const auto saved = check.file.read_numbers("checkpoints/round", most_values);
  check.check_rows("checkpoints/round", saved.size(), [&](std::size_t row) {
    return outside_of(saved[row], 0, static_cast<double>(check.plan.rounds));
  });
  check_phases(check);
}

}  // namespace trilemma
