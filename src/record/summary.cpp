#include "record/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sha256.hpp"
#include "base/subprocess.hpp"
#include "h5/h5.hpp"
#include "record/class_scores.hpp"
#include "record/columns.hpp"
#include "record/phase_times.hpp"
#include "record/privacy_group.hpp"
#include "record/run_reader.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most_count = std::int64_t{1} << 33U;
double last_finite(const std::vector<double>& values) {
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [](double value) { return !std::isnan(value); });
  return found == values.rend() ? nan : *found;
}

double smallest(const std::vector<double>& values) {
  double best = nan;
  for (const double value : values)
    if (!(best <= value) && !std::isnan(value)) best = value;
  return best;
}

double largest(const std::vector<double>& values) {
  double most = nan;
  for (const double value : values) most = std::fmax(most, value);
  return most;
}

// Reads the columns of a run, which have one row per state.
class ReadColumns {
 public:
  ReadColumns(const h5::Group& file, std::int64_t rounds)
      : file_(file), most_(static_cast<std::uint64_t>(rounds) + 1) {}

  std::vector<double> operator()(const std::string& name) const {
    return file_.read_numbers(name, most_);
  }
  // Returns an empty column if it is withheld.
  std::vector<double> if_there(const std::string& name) const {
    return file_.has_member(name) ? (*this)(name) : std::vector<double>{};
  }
  double last(const std::string& name) const {
    const auto column = (*this)(name);
    return column.empty() ? 0 : column.back();
  }
  // Returns NaN if the column is withheld.
  double last_if_there(const std::string& name) const {
    return file_.has_member(name) ? last(name) : nan;
  }

 private:
  const h5::Group& file_;
  std::uint64_t most_;
};

// Returns whether a phase serves the observation of a run and not its computation.
bool is_of_watching(const std::string& phase) {
  constexpr std::string_view watching[] = {"evaluate", "record", "checkpoint"};
  return std::ranges::find(watching, phase) != std::end(watching);
}

// Adds the phases to `s`; `seconds` are those of all rounds, by rank and then by phase.
void add_phases(const std::vector<std::string>& names, const std::vector<double>& seconds,
                Summary& s) {
  const std::size_t phases = names.size();
  const std::size_t ranks = phases == 0 ? 0 : seconds.size() / phases;
  double rounds_took = 0;  // on the rank that was busy for longest
  for (std::size_t r = 0; r < ranks; ++r) {
    double all = 0;
    double rounds = 0;
    for (std::size_t p = 0; p < phases; ++p) {
      const double one = seconds[r * phases + p];
      all += one;
      if (!is_of_watching(names[p])) rounds += one;
    }
    rounds_took = std::max(rounds_took, rounds);
    if (all <= s.critical_seconds) continue;
    s.critical_seconds = all;
    s.critical_rank = static_cast<std::int64_t>(r);
  }
  s.round_seconds = rounds_took > 0 ? rounds_took : nan;
  s.rounds_per_second = rounds_took > 0 ? static_cast<double>(s.rounds_done) / rounds_took : nan;
  const std::size_t first = static_cast<std::size_t>(s.critical_rank) * phases;
  for (std::size_t p = 0; p < phases; ++p) {
    double most = 0;
    double sum = 0;
    for (std::size_t i = p; i < seconds.size(); i += phases) {
      most = std::max(most, seconds[i]);
      sum += seconds[i];
    }
    const double mean = ranks == 0 ? 0 : sum / static_cast<double>(ranks);
    s.phases.push_back({names[p], mean, most, ranks == 0 ? 0 : seconds[first + p], nan});
  }
}

// Replaces the maxima of the phases, which are means where times are summarised, by the sums of the
// recorded maxima up to row `end`; no rank is known to be critical.
void take_largest(const h5::Group& file, std::uint64_t end, Summary& s) {
  const h5::Dataset largest = file.open_dataset(std::string("phases/") + largest_times);
  const auto extents = largest.extents(2);
  const std::size_t phases = s.phases.size();
  if (extents[1] != phases)
    largest.refuse("", fmt::format("{} phases, of which {} have a name", extents[1], phases));
  for (auto& phase : s.phases) phase.most = phase.critical = 0;
  s.critical_seconds = 0;
  const std::uint64_t last = std::min(end, extents[0]);
  if (last < 2) return;
  const auto seconds = largest.read_rows<double>(extents, 1, last - 1);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) s.phases[i % phases].most += seconds[i];
}

// Adds the joules of the phases up to row `end`. Rows that a start without counters wrote are NaN,
// and so are the sums over them.
void add_energy(const h5::Group& file, std::uint64_t end, Summary& s) {
  s.round_joules = nan;
  const std::string name = std::string("phases/") + phase_energy;
  if (!file.has_member(name)) return;
  const h5::Dataset set = file.open_dataset(name);
  const auto extents = set.extents(2);
  const std::size_t phases = s.phases.size();
  if (extents[1] != phases)
    set.refuse("", fmt::format("{} phases, of which {} have a name", extents[1], phases));
  const std::uint64_t last = std::min(end, extents[0]);
  if (last < 2) return;
  const auto joules = set.read_rows<double>(extents, 1, last - 1);
  s.round_joules = 0;
  for (auto& phase : s.phases) phase.joules = 0;
  for (std::size_t i = 0; i < joules.size(); ++i) s.phases[i % phases].joules += joules[i];
  for (const auto& phase : s.phases)
    if (!is_of_watching(phase.name)) s.round_joules += phase.joules;
}

// Row 0 is the set-up; the phases of the rounds follow.
void read_phases(const h5::Group& file, Summary& s) {
  constexpr std::uint64_t values_at_once = std::uint64_t{1} << 18U;
  const auto names = file.read_texts("phases/name");
  const h5::Dataset seconds = file.open_dataset("phases/seconds");
  const auto extents = phase_extents(seconds);
  const std::size_t phases = names.size();
  if (extents[2] != phases)
    seconds.refuse("", fmt::format("{} phases, of which {} have a name", extents[2], phases));
  const auto width = static_cast<std::size_t>(extents[1] * extents[2]);
  std::vector<double> sum(width, 0.0);
  const std::uint64_t rows =
      std::max<std::uint64_t>(1, values_at_once / std::max<std::uint64_t>(1, width));
  const std::uint64_t end = std::min(extents[0], static_cast<std::uint64_t>(s.rounds) + 1);
  for (std::uint64_t at = 1; at < end; at += rows) {
    const auto part = seconds.read_rows<double>(extents, at, std::min(rows, end - at));
    for (std::size_t i = 0; i < part.size(); ++i)
      if (!std::isnan(part[i])) sum[i % width] += part[i];
  }
  add_phases(names, sum, s);
  s.has_summarised_phases = has_summarised_phases(file);
  if (s.has_summarised_phases) take_largest(file, end, s);
  add_energy(file, end, s);
}

// Returns the SHA-256 of the values as stored in the file.
std::string model_sum(const h5::Group& file) {
  const h5::Dataset model = file.open_dataset("model/final");
  const auto extents = model.extents(1);
  if (model.kind() != h5::Kind::floating) model.refuse("", "not floating-point numbers");
  if (model.value_size() == sizeof(float)) {
    const auto values = model.read_rows<float>(extents, 0, extents[0]);
    return sha256(std::as_bytes(std::span(values)));
  }
  const auto values = model.read_rows<double>(extents, 0, extents[0]);
  return sha256(std::as_bytes(std::span(values)));
}

// Columns whose last value has a line of its own in the summary.
struct FinalColumn {
  std::string_view column;
  double Summary::*value;
};
constexpr FinalColumn final_columns[] = {
    {"rounds/objective", &Summary::objective_final},
    {"rounds/gradient_norm_squared", &Summary::gradient_norm_squared_final},
    {"rounds/utility", &Summary::utility},
    {"rounds/accuracy", &Summary::accuracy_final},
    {"rounds/test_error", &Summary::test_error_final},
    {"rounds/test_loss", &Summary::test_loss_final},
    {"rounds/client_score_mean", &Summary::client_score_final},
    {"rounds/epsilon", &Summary::epsilon_spent},
    {"rounds/clipped_share", &Summary::clipped_share_final},
    {"rounds/norm_ratio_median", &Summary::norm_ratio_final},
};
// Counts of bits; NaN if privacy.strict has omitted them.
struct BitColumn {
  std::string_view column;
  Summary::Bits Summary::*way;
  double Summary::Bits::*count;
};
constexpr BitColumn bit_columns[] = {
    {"rounds/bits_up_model", &Summary::up, &Summary::Bits::model},
    {"rounds/bits_up_payload", &Summary::up, &Summary::Bits::payload},
    {"mpi/bits_up", &Summary::up, &Summary::Bits::mpi},
    {"rounds/bits_down_model", &Summary::down, &Summary::Bits::model},
    {"rounds/bits_down_payload", &Summary::down, &Summary::Bits::payload},
    {"mpi/bits_down", &Summary::down, &Summary::Bits::mpi},
};

bool has_own_line(const std::string& column) {
  return std::ranges::find(final_columns, column, &FinalColumn::column) !=
             std::end(final_columns) ||
         std::ranges::find(bit_columns, column, &BitColumn::column) != std::end(bit_columns);
}

// Without a bound nothing is counted as clipped: the column `clipped` is 0, and the shares are NaN.
bool counts_nothing_clipped(const Summary& s) { return std::isnan(s.clipped_share_final); }

// The last values of the other columns that are shown by default.
void read_others(const h5::Group& file, const ReadColumns& columns, Summary& s) {
  for (const auto& name : file.open_group("rounds").member_names()) {
    const std::string path = "rounds/" + name;
    if (has_own_line(path) || (name == "clipped" && counts_nothing_clipped(s))) continue;
    const h5::Dataset set = file.open_dataset(path);
    if (!set.has_attribute(metric_attributes::shown) ||
        set.integer_attribute(metric_attributes::shown, 0, 1) == 0)
      continue;
    const double last = last_finite(columns(path));
    if (!std::isnan(last))
      s.others.push_back(
          {name, set.text_attribute("units"), last, set.kind() != h5::Kind::floating});
  }
}

// Returns whether the last row was evaluated and its objective is NaN: accuracy and error are
// numbers also of a model that has none.
bool ends_without_objective(const ReadColumns& columns, const std::vector<double>& objective) {
  if (objective.empty() || !std::isnan(objective.back())) return false;
  for (const char* score : {"rounds/accuracy", "rounds/test_error"}) {
    const auto values = columns.if_there(score);
    if (!values.empty() && !std::isnan(values.back())) return true;
  }
  return false;
}

// The definition of the analysis: infinite at any state, NaN at the end, or beyond `far` times the
// start. Noise can leave an objective a little above the start although scores improve.
bool has_diverged(const ReadColumns& columns, const std::vector<double>& objective) {
  constexpr double far = 1000;
  const auto first =
      std::ranges::find_if(objective, [](double value) { return !std::isnan(value); });
  if (first == objective.end()) return false;  // withheld or never evaluated
  return std::ranges::any_of(objective, [](double value) { return std::isinf(value); }) ||
         last_finite(objective) > far * std::abs(*first) ||
         ends_without_objective(columns, objective);
}

void read_figures(const h5::Group& file, Summary& s) {
  const ReadColumns columns(file, s.rounds);
  const auto objective = columns.if_there("rounds/objective");
  s.withholds = !file.has_member("rounds/objective");
  s.objective_best = smallest(objective);
  s.clipped_share_least = smallest(columns.if_there("rounds/clipped_share"));
  s.record_norm_most = largest(columns.if_there("rounds/record_norm_most"));
  s.diverged = has_diverged(columns, objective);
  s.ends_without_objective = ends_without_objective(columns, objective);
  const auto first =
      std::ranges::find_if(objective, [](double value) { return !std::isnan(value); });
  s.objective_start = first == objective.end() ? nan : *first;
  s.states_evaluated =
      std::count_if(objective.begin(), objective.end(), [](double f) { return !std::isnan(f); });
  for (const auto& [column, value] : final_columns)
    s.*value = last_finite(columns.if_there(std::string(column)));
  for (const auto& [column, way, count] : bit_columns)
    s.*way.*count = columns.last_if_there(std::string(column));
  s.has_server = !file.has_member("rounds/consensus_error");
  if (!s.has_server) s.up.mpi = columns.last_if_there("mpi/bits_neighbours");
  if (auto classes = read_classes(file); !classes.accuracy.empty())
    s.class_accuracy_final = std::move(classes.accuracy.back());
  read_others(file, columns, s);
  s.rounds_done = whole(columns.last("rounds/round"));
}

void read_attributes(const h5::Group& file, Summary& s) {
  for (const auto& name : file.attribute_names())
    s.attributes.emplace_back(name, read_any_value(file, name));
  const std::pair<const char*, std::string*> texts[] = {
      {"name", &s.name},       {"method", &s.method},  {"mode", &s.mode},
      {"problem", &s.problem}, {"data", &s.data},      {"compressor", &s.compressor},
      {"claim", &s.claim},     {"failure", &s.failure}};
  for (const auto& [name, text] : texts) *text = file.text_attribute(name);
  const std::pair<const char*, double*> numbers[] = {
      {"noise_sigma", &s.noise_sigma},
      {"epsilon_nominal", &s.epsilon_nominal},
      {"delta", &s.delta},
      {"baseline_score", &s.baseline_score},
      {"baseline_personal_score", &s.baseline_personal_score},
      {"wall_seconds", &s.wall_seconds}};
  for (const auto& [name, number] : numbers) *number = file.number_attribute(name);
  const std::tuple<const char*, std::int64_t*, std::int64_t> counts[] = {
      {"rounds", &s.rounds, 1},
      {"clients", &s.clients, 1},
      {"ranks", &s.ranks, 1},
      {"extended_from", &s.extended_from, 0}};
  for (const auto& [name, count, least] : counts)
    *count = file.integer_attribute(name, least, most_count);
  if (file.has_attribute("local_work")) s.local_work = file.text_attribute("local_work");
  for (const auto& field : model_fields())
    if (file.has_attribute(field.name))
      field.set(s.own_model, read_value(file, field.name, field.type));
  s.seed = file.integer_attribute("seed", 0, std::numeric_limits<std::int64_t>::max());
  s.complete = file.integer_attribute("complete", 0, 1) == 1;
  const auto status = claim_status_named(file.text_attribute("claim_status"));
  if (!status) file.refuse("@claim_status", "an unknown status");
  s.claim_status = *status;
}

}  // namespace

std::int64_t whole(double value) {
  constexpr double most = 9e15;
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -most, most));
}

Summary read_summary(const std::string& path, h5::Reading how) {
  const h5::File file = open_run_file(path, how);
  Summary s;
  s.path = path;
  read_attributes(file, s);
  s.privacy = read_privacy(file, s.privacy_problem);
  const auto starts = file.read_numbers("starts/round", most_count);
  for (std::size_t i = 1; i < starts.size(); ++i) s.restarts.push_back(whole(starts[i]));
  s.config = file.read_text("config");
  s.data_files = file.read_text("environment/data_files");
  if (file.has_member("environment/simulation"))
    s.simulation = file.read_text("environment/simulation");
  const h5::Group environment = file.open_group("environment");
  s.times = read_fields(environment, time_fields()).value_or(TimeRecord{});
  s.uplink = read_fields(environment, uplink_fields()).value_or(UplinkRecord{});
  const h5::Group partition = file.open_group("partition");
  s.records_least = partition.number_attribute("records_least");
  s.records_most = partition.number_attribute("records_most");
  s.theory = read_theory_record(file);
  s.graph = read_graph_record(file);
  read_figures(file, s);
  read_phases(file, s);
  if (file.has_member("model/final")) s.model_sha256 = model_sum(file);
  s.content = content_of(file);
  return s;
}

bool is_readable(const std::string& path) {
  try {
    read_in_subprocess(path, [&path] {
      read_summary(path, h5::Reading::copied);
      return Bytes{};
    });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace trilemma
