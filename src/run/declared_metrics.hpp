#pragma once
// The declarations of all metrics and attributes, collected without a run.

#include <string>
#include <vector>

#include "base/metric_log.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns every metric that any run declares, for records with `classes` (0 = real targets) and
/// a simulated clock with these units.
std::vector<Metric> declared_metrics(std::size_t classes, const char* clock_units);

/// Returns the metrics that a run of `plan` declares. `is_replay`: the run repeats one in real time
/// on the simulated clock.
std::vector<Metric> declared_metrics(const Plan& plan, bool is_replay);

/// Returns docs/reference/run-file-fields.md: the attributes of a run file, from the tables by
/// which they are written, and the values that `trilemma show --json` adds.
std::string run_file_reference();

}  // namespace trilemma
