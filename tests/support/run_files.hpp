#pragma once
// Run files made by tests.

#include "record/run_file.hpp"

namespace trilemma::testing {

/// A run of three clients on two ranks, ten rounds planned.
RunIdentity sample_identity();
inline constexpr const char* sample_claim = "not a private run: a test of the façade";  // not ASCII
/// Replaces the value of an attribute of the sample.
void set_attribute(RunIdentity& identity, std::string_view name, FieldValue value);
/// The metrics of a run.
const std::vector<Metric>& sample_metrics();
/// A row of these.
struct SampleRow {
  std::int64_t round = 0;
  std::vector<Cell> cells;

  /// The value of a metric.
  Cell& operator[](std::string_view name);
  operator MetricRow() const { return {round, cells}; }
};
/// Round t with objective 1/(1+t), counts that grow with t, NaN for the rest.
SampleRow sample_row(std::int64_t t);
/// Phase seconds of one round: rank + phase / 10.
std::vector<double> sample_phases();
inline const std::vector<std::string> sample_phase_names{"local", "exchange", "record"};

}  // namespace trilemma::testing
