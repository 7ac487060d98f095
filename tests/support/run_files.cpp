#include "tests/support/run_files.hpp"

#include <algorithm>
#include <limits>

#include "experiment/read_plan.hpp"
#include "run/run_loop.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::testing {

RunIdentity sample_identity() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  RunIdentity id;
  id.attributes = {{"name", "NAME"},
                   {"method", "cdp-sgd"},
                   {"mode", "private"},
                   {"problem", "logistic, d = 3"},
                   {"data", "synthetic"},
                   {"scaling", ""},
                   {"compressor", "rand-k"},
                   {"compressor_kind", "rand-k"},
                   {"compressor_label", "rand-k"},
                   {"equal_messages", true},
                   {"claim", sample_claim},
                   {"claim_status", "not_private"},
                   {"seed", std::int64_t{5}},
                   {"rounds", std::int64_t{10}},
                   {"clients", std::int64_t{3}},
                   {"dimension", std::int64_t{4}},
                   {"ranks", std::int64_t{2}},
                   {"extended_from", std::int64_t{0}},
                   {"noise_sigma", 0.25},
                   {"epsilon_nominal", nan},
                   {"delta", 1e-3},
                   {"baseline_score", nan},
                   {"baseline_personal_score", nan}};
  id.privacy.dp_claim = "none";
  id.config = "a = 1\n[b]\nc = \"x\"\n";
  id.environment = {{"cpu", "a machine", "the processor"},
                    {"slurm", "", "variables"},
                    {"real", real_name, "type of numbers"},
                    {"data_files", "", "checksums"}};
  id.ranks = 2;
  id.partition.number = {{"records_least", 4}, {"records_most", 6}};
  return id;
}

void set_attribute(RunIdentity& identity, std::string_view name, FieldValue value) {
  const auto found = std::ranges::find(identity.attributes, name, &NamedValue::first);
  expect(found != identity.attributes.end(), "an attribute of the sample");
  found->second = std::move(value);
}

const std::vector<Metric>& sample_metrics() {
  static const std::vector<Metric> metrics = [] {
    Plan plan = read_plan(Settings::from_text(tiny_experiment, "tiny.toml"));
    const Placement place{.clients = static_cast<int>(plan.clients)};
    Assembly parts = assemble(plan, place, "");
    Ranks ranks(Placement{});
    const RunLoop loop(plan, parts, ranks, place);
    const auto declared = parts.metric_log->metrics();
    return std::vector<Metric>(declared.begin(), declared.end());
  }();
  return metrics;
}

Cell& SampleRow::operator[](std::string_view name) {
  const auto& metrics = sample_metrics();
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return cells.at(static_cast<std::size_t>(found - metrics.begin()));
}

SampleRow sample_row(std::int64_t t) {
  SampleRow row{t, {}};
  for (const Metric& metric : sample_metrics())
    row.cells.push_back(metric.is_count()
                            ? Cell{.count = 0}
                            : Cell{.number = std::numeric_limits<double>::quiet_NaN()});
  const double objective = 1.0 / (1.0 + static_cast<double>(t));
  row["objective"].number = objective;
  row["gradient_norm_squared"].number = 2 * objective;
  row["utility"].number = 3 * objective;
  row["accuracy"].number = 0.5;
  row["record_norm_most"].number = 0.25;
  std::uint64_t factor = 10;
  for (const char* name :
       {"bits_up_model", "bits_up_payload", "bits_down_model", "bits_down_payload", "batch_records",
        "bits_up", "bits_down", "bits_evaluation", "bits_control", "messages"})
    row[name].count = factor++ * static_cast<std::uint64_t>(t);
  return row;
}

std::vector<double> sample_phases() { return {0.0, 0.1, 0.2, 1.0, 1.1, 1.2}; }

}  // namespace trilemma::testing
