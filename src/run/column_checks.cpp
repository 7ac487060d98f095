#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "federation/test_tally.hpp"
#include "record/class_scores.hpp"
#include "record/columns.hpp"
#include "run/file_check.hpp"

namespace trilemma {
namespace {

// Tolerance for sums and differences of doubles that were rounded once.
constexpr double rounding = 1e-9;
// Tolerance for accounting on another processor.
constexpr double account_tolerance = 1e-6;
// Largest distance of a norm of Gaussian noise from its expected value, in standard deviations: the
// probability of exceeding it is below 2 exp(-9^2 / 2).
constexpr double noise_deviations = 9;

// Returns whether the state of a row is evaluated. Rows at which a shorter run ended or a run
// failed stay evaluated.
enum class Evaluated { no, perhaps, yes };
Evaluated is_evaluated(const FileCheck& check, std::size_t row) {
  const auto round = static_cast<long>(row);
  if (row == 0 || round == check.plan.rounds || check.plan.evaluation.is_due(round))
    return check.run.complete || row + 1 < check.rows ? Evaluated::yes : Evaluated::perhaps;
  const bool may_end = !check.run.complete && row + 1 == check.rows;
  return may_end || round <= check.run.extended_from ? Evaluated::perhaps : Evaluated::no;
}

// Checks one value, regardless of its neighbours.
std::optional<Difference> value_problem(const FileCheck& check, const Metric& metric, double value,
                                        std::size_t row) {
  const bool may_be_unknown = metric.course() == Metric::Course::free;
  if (std::isinf(value) || (std::isnan(value) && !may_be_unknown))
    return wrong(Mismatch::odd, value, no_number);
  if (std::isnan(value)) return {};
  if (metric.is_evaluated && is_evaluated(check, row) == Evaluated::no)
    return wrong(Mismatch::configuration, value, no_number);
  if (metric.course() == Metric::Course::cumulative && value != std::floor(value))
    return wrong(Mismatch::odd, value, no_number);
  return outside_of(value, metric.least, metric.most, rounding);
}

// Compares what a column says of itself with its declaration, unless another revision of the
// program has declared it.
void check_attributes_of(FileCheck& check, const Metric& metric) {
  const std::string name = metric.path();
  if (!check.has(name) || !check.is_own_revision) return;
  const h5::Dataset set = check.file.open_dataset(name);
  for (const auto& field : metric_fields()) {
    const std::string place = "/" + name + "@" + field.name;
    if (set.has_attribute(field.name))
      check.expect(place, read_value(set, field.name, field.type), field.get(metric));
    else
      check.report({.kind = Mismatch::missing, .field = place});
  }
}

void check_order(FileCheck& check, const std::string& low, const std::string& high) {
  if (!check.has(low) || !check.has(high)) return;
  const ColumnValues below = check.column(low);
  const ColumnValues above = check.column(high);
  check.check_rows(low, std::min(below.size(), above.size()),
                   [&](std::size_t row) -> std::optional<Difference> {
                     if (!(below[row] > above[row] * (1 + rounding))) return {};
                     Difference found = wrong(Mismatch::elsewhere, below[row], above[row]);
                     found.place = "/" + high;
                     return found;
                   });
}

// Checks the values of a column by the declaration of its metric.
void check_values(FileCheck& check, const Metric& metric) {
  const std::string name = metric.path();
  const ColumnValues values = check.column(name);
  double before = -std::numeric_limits<double>::infinity();
  check.check_rows(name, values.size(), [&](std::size_t row) -> std::optional<Difference> {
    if (auto found = value_problem(check, metric, values[row], row)) return found;
    if (metric.course() != Metric::Course::free && values[row] < before)
      return wrong(Mismatch::falls, values[row], before);
    before = values[row];
    return {};
  });
}

// Checks the rounds, and the privacy loss after each of them.
void check_epsilon(FileCheck& check) {
  const ColumnValues rounds = check.column("rounds/round");
  check.check_rows("rounds/round", rounds.size(), [&](std::size_t row) {
    return outside_of(rounds[row], static_cast<double>(row), static_cast<double>(row), 0);
  });
  const ColumnValues epsilon = check.column("rounds/epsilon");
  const auto most = static_cast<std::size_t>(check.plan.rounds) + 1;
  check.check_rows("rounds/epsilon", std::min(epsilon.size(), most),
                   [&](std::size_t row) -> std::optional<Difference> {
                     const double follows = check.claim.spent(row);
                     if (same_number(epsilon[row], follows, account_tolerance)) return {};
                     return wrong(Mismatch::configuration, epsilon[row], follows);
                   });
}

// Every evaluated row has the objective and the gradient norm; the utility is the mean of the
// latter.
void check_objective(FileCheck& check) {
  if (!check.has("rounds/objective")) return;
  const ColumnValues objective = check.column("rounds/objective");
  const ColumnValues gradient = check.column("rounds/gradient_norm_squared");
  const ColumnValues utility = check.column("rounds/utility");
  const std::size_t rows = std::min({objective.size(), gradient.size(), utility.size()});
  const auto check_values = [&](const char* name, const ColumnValues& values) {
    check.check_rows(name, rows, [&](std::size_t row) -> std::optional<Difference> {
      const bool wanted = check.plan.evaluation.objective;
      if (wanted && is_evaluated(check, row) != Evaluated::yes) return {};
      if (std::isnan(values[row]) != wanted) return {};
      return wrong(wanted ? Mismatch::odd : Mismatch::unexpected, values[row], no_number);
    });
  };
  check_values("rounds/objective", objective);
  check_values("rounds/gradient_norm_squared", gradient);
  double sum = 0;
  double states = 0;
  check.check_rows("rounds/utility", rows, [&](std::size_t row) -> std::optional<Difference> {
    if (!std::isnan(objective[row])) sum += gradient[row];
    if (!std::isnan(objective[row])) ++states;
    const double follows = std::isnan(objective[row]) ? no_number : sum / states;
    if (same_number(utility[row], follows, rounding)) return {};
    Difference found = wrong(Mismatch::elsewhere, utility[row], follows);
    found.place = "the mean of /rounds/gradient_norm_squared";
    return found;
  });
}

// The distance to a minimiser is unknown if no minimiser was computed.
void check_distance(FileCheck& check) {
  if (check.plan.evaluation.optimum || check.plan.start.at_optimum || !check.has("rounds/distance"))
    return;
  const ColumnValues distance = check.column("rounds/distance");
  check.check_rows("rounds/distance", distance.size(),
                   [&](std::size_t row) -> std::optional<Difference> {
                     if (std::isnan(distance[row])) return {};
                     return wrong(Mismatch::configuration, distance[row], no_number);
                   });
}

// All rows must agree on the minimum of the objective.
void check_optimum(FileCheck& check) {
  if (!check.has("rounds/suboptimality") || !check.has("rounds/objective")) return;
  const ColumnValues objective = check.column("rounds/objective");
  const ColumnValues suboptimality = check.column("rounds/suboptimality");
  std::optional<std::size_t> first;
  check.check_rows(
      "rounds/suboptimality", std::min(objective.size(), suboptimality.size()),
      [&](std::size_t row) -> std::optional<Difference> {
        const bool is_known = check.plan.evaluation.optimum || check.plan.start.at_optimum;
        if (!is_known || std::isnan(objective[row])) {
          if (std::isnan(suboptimality[row])) return {};
          return wrong(Mismatch::configuration, suboptimality[row], no_number);
        }
        if (!first) first = row;
        const double follows = objective[row] - (objective[*first] - suboptimality[*first]);
        const double size = std::abs(objective[row]) + std::abs(objective[*first]);
        if (std::abs(suboptimality[row] - follows) <= rounding * size) return {};
        Difference found = wrong(Mismatch::elsewhere, suboptimality[row], follows);
        found.place = "/rounds/objective with the minimum of the first row";
        return found;
      });
}

// The accuracy is a mean of the accuracies by class, weighted by test records that the file does
// not count: it lies between them.
void check_mean_of_classes(FileCheck& check, const ClassTable& table) {
  const ColumnValues accuracy = check.column("rounds/accuracy");
  check.check_rows(
      "classes/accuracy", table.accuracy.size(), [&](std::size_t row) -> std::optional<Difference> {
        const double round = table.round[row];
        if (!(round >= 0 && round < static_cast<double>(accuracy.size()))) return {};
        const double mean = accuracy[static_cast<std::size_t>(round)];
        double least = no_number, most = no_number;
        for (const double share : table.accuracy[row]) {
          least = std::fmin(least, share);
          most = std::fmax(most, share);
        }
        if (least <= mean + rounding && mean <= most + rounding) return {};
        Difference found = wrong(Mismatch::elsewhere, mean < least ? least : most, mean);
        found.place = "/rounds/accuracy";
        return found;
      });
}

// Accuracies by class must belong to evaluated rounds, be in order, and lie between 0 and 1.
void check_classes(FileCheck& check) {
  const ClassTable table = read_classes(check.file);
  if (table.round.empty()) {
    const auto classes = static_cast<std::size_t>(check.plan.source->classes());
    const auto problem = check.plan.problem.make();
    const bool are_counted = TestTally(*problem, classes).width() > 0;
    if (!are_counted || !check.has("rounds/accuracy")) return;
    const ColumnValues accuracy = check.column("rounds/accuracy");
    if (!std::ranges::all_of(accuracy, [](double share) { return std::isnan(share); }))
      check.report({.kind = Mismatch::missing, .field = "/classes"});
    return;
  }
  check_mean_of_classes(check, table);
  if (check.withheld.holds(Provenance::test_scores))
    check.report({.kind = Mismatch::unexpected, .field = "/classes"});
  const double last = static_cast<double>(check.plan.rounds);
  double before = -1;
  check.check_rows("classes/round", table.round.size(),
                   [&](std::size_t row) -> std::optional<Difference> {
                     if (auto found = outside_of(table.round[row], before + 1, last)) return found;
                     before = table.round[row];
                     return {};
                   });
  check.check_rows("classes/accuracy", table.accuracy.size(),
                   [&](std::size_t row) -> std::optional<Difference> {
                     for (const double share : table.accuracy[row])
                       if (!std::isnan(share))
                         if (auto found = outside_of(share, 0, 1)) return found;
                     return {};
                   });
}

// Checks bounds and noise by the recorded norms.
void check_norms(FileCheck& check) {
  if (check.has("rounds/record_norm_most") && check.plan.bound->what() == Bounds::record) {
    const ColumnValues norms = check.column("rounds/record_norm_most");
    check.check_rows("rounds/record_norm_most", norms.size(),
                     [&](std::size_t row) -> std::optional<Difference> {
                       if (std::isnan(norms[row])) return {};
                       return outside_of(norms[row], 0, check.plan.bound->record_threshold(), 1e-6);
                     });
  }
  if (!check.has("rounds/noise_norm")) return;
  const ColumnValues noise = check.column("rounds/noise_norm");
  const double sigma = check.plan.privacy.at_server ? check.claim.record.noise_std_on_released : 0;
  const double root = std::sqrt(static_cast<double>(check.plan.shape().sum()));
  const bool is_masked = check.plan.compressor->traits().is_shared;
  const double least = is_masked ? 0 : std::max(0.0, root - noise_deviations);
  check.check_rows(
      "rounds/noise_norm", noise.size(), [&](std::size_t row) -> std::optional<Difference> {
        if (row == 0) return outside_of(noise[row], 0, 0);
        return outside_of(noise[row], sigma * least, sigma * (root + noise_deviations));
      });
}

// The largest value in each row, and the column from which it follows.
struct Limit {
  std::string column;
  std::vector<double> most;
};

// Returns the column that limits the number of clipped vectors, and the largest number in each row.
// A client draws a record for two gradients at most, and takes an anchor over all records once in a
// round. In real time the last update of a client may have been bounded but not received.
Limit most_clipped(FileCheck& check) {
  const auto clients = static_cast<double>(check.plan.clients);
  const bool bounds_records = check.plan.bound->what() == Bounds::record;
  const std::string name = bounds_records ? "rounds/batch_records" : "rounds/messages";
  if (!check.has(name)) return {name, {}};
  const ColumnValues limit = check.column(name);
  std::vector<double> most(limit.begin(), limit.end());
  if (bounds_records) {
    const ColumnValues round = check.column("rounds/round");
    const double records = clients * check.run.records_most;
    for (std::size_t row = 0; row < std::min(most.size(), round.size()); ++row)
      most[row] = 2 * most[row] + records * (round[row] + 1);
  } else if (check.plan.policy) {
    for (double& value : most) value += clients;
  }
  return {name, most};
}

void check_clipped(FileCheck& check) {
  if (!check.has("rounds/clipped")) return;
  const ColumnValues clipped = check.column("rounds/clipped");
  const Limit limit = most_clipped(check);
  check.check_rows("rounds/clipped", std::min(clipped.size(), limit.most.size()),
                   [&](std::size_t row) -> std::optional<Difference> {
                     if (!(clipped[row] > limit.most[row])) return {};
                     Difference found = wrong(Mismatch::elsewhere, clipped[row], limit.most[row]);
                     found.place = "/" + limit.column;
                     return found;
                   });
}

// Checks the values of /privacy that summarize the end of a run.
void check_end_fields(FileCheck& check) {
  const PrivacyRecord& recorded = check.run.privacy;
  if (!check.run.complete) return;
  check.expect_as("/rounds/round", "rounds_executed", recorded.rounds_executed,
                  static_cast<double>(check.rows) - 1);
  if (!check.has("rounds/batch_records")) {
    for (const auto& [field, value] : {std::pair("drawn_least", recorded.drawn_least),
                                       std::pair("drawn_mean", recorded.drawn_mean),
                                       std::pair("drawn_most", recorded.drawn_most)})
      check.expect(field, value, no_number);
  } else {
    const ColumnValues drawn = check.column("rounds/batch_records");
    double least = no_number;
    double most = no_number;
    for (std::size_t row = 1; row < drawn.size(); ++row) {
      least = std::fmin(least, drawn[row] - drawn[row - 1]);
      most = std::fmax(most, drawn[row] - drawn[row - 1]);
    }
    constexpr const char* place = "/rounds/batch_records";
    check.expect_as(place, "drawn_least", recorded.drawn_least, least);
    check.expect_as(place, "drawn_most", recorded.drawn_most, most);
    if (drawn.size() > 1)
      check.expect_as(place, "drawn_mean", recorded.drawn_mean,
                      drawn.back() / static_cast<double>(drawn.size() - 1));
  }
  if (check.has("rounds/record_norm_most")) {
    double most = no_number;
    for (const double norm : check.column("rounds/record_norm_most")) most = std::fmax(most, norm);
    check.expect_as("/rounds/record_norm_most", "bound_observed", recorded.bound_observed, most);
  } else {
    check.expect("bound_observed", recorded.bound_observed, no_number);
  }
}

void check_metric(FileCheck& check, const Metric& metric) {
  const std::string name = metric.path();
  if (metric.provenance.meets(check.withheld)) {
    if (check.has(name)) check.report({.kind = Mismatch::unexpected, .field = "/" + name});
    return;
  }
  if (metric.is_recent && !check.is_own_revision && !check.has(name)) return;
  check_values(check, metric);
  check_attributes_of(check, metric);
  if (*metric.never_above != '\0')
    check_order(check, name,
                (metric.depends_on_ranks ? "mpi/" : "rounds/") + std::string(metric.never_above));
}

// Checks a column that this program does not declare for such a run by what the column says of its
// provenance, and by its type.
void check_undeclared(FileCheck& check, const std::string& group, const std::string& member) {
  const std::string name = group + "/" + member;
  const h5::Dataset set = check.file.open_dataset(name);
  for (const auto& word : set.texts_attribute(metric_attributes::provenance))
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(last_provenance); ++i) {
      const auto provenance = static_cast<Provenance>(i);
      if (word == trilemma::name(provenance) && check.withheld.holds(provenance))
        return check.report({.kind = Mismatch::unexpected, .field = "/" + name});
    }
  const bool is_count = set.kind() != h5::Kind::floating;
  check_values(check, {.name = member.c_str(),
                       .units = "",
                       .description = "",
                       .provenance = Provenances::none(),
                       .kind = is_count ? Metric::Kind::count : Metric::Kind::gauge,
                       .depends_on_ranks = group == "mpi",
                       .least = is_count ? 0 : -std::numeric_limits<double>::infinity()});
}

void check_undeclared(FileCheck& check) {
  for (const std::string group : {"rounds", "mpi"})
    for (const auto& member : check.file.open_group(group).member_names())
      if (group + "/" + member != "rounds/round" && check.metric(group + "/" + member) == nullptr)
        check_undeclared(check, group, member);
}

}  // namespace

void check_columns(FileCheck& check) {
  for (const Metric& metric : check.metrics) check_metric(check, metric);
  check_undeclared(check);
  check_epsilon(check);
  check_objective(check);
  check_optimum(check);
  check_distance(check);
  check_classes(check);
  check_norms(check);
  check_clipped(check);
  check_end_fields(check);
}

}  // namespace trilemma
