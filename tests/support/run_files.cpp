#include "tests/support/run_files.hpp"

#include <algorithm>
#include <limits>

#include "experiment/read_plan.hpp"
#include "run/run_loop.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::testing {

RunIdentity sample_identity() {
  RunIdentity id;
  id.name = "NAME";
  id.method = "cdp-sgd";
  id.mode = "private";
  id.problem = "logistic, d = 3";
  id.data = "synthetic";
  id.compressor = "rand-k";
  id.claim = "not a private run: a test of the façade";  // not ASCII
  id.privacy.dp_claim = "none";
  id.config = "a = 1\n[b]\nc = \"x\"\n";
  id.environment = {{"cpu", "a machine"}, {"slurm", ""}, {"real", real_name}, {"data_files", ""}};
  id.seed = 5;
  id.rounds = 10;
  id.clients = 3;
  id.dimension = 4;
  id.ranks = 2;
  id.noise_sigma = 0.25;
  id.epsilon_nominal = std::numeric_limits<double>::quiet_NaN();
  id.delta = 1e-3;
  id.partition.number = {{"records_least", 4}, {"records_most", 6}};
  return id;
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
