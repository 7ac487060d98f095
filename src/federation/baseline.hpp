#pragma once
// Scores of the best constant answers, a baseline for every model.

#include <limits>

#include "federation/partitioned_data.hpp"

namespace trilemma {

/// Scores of the best constant answers on the test records: the share of the most frequent class
/// or, for real targets, the root mean squared distance to their mean, in the units of the source.
/// The answers are chosen with the test records, so no model that ignores the features scores
/// better. NaN without test records.
struct Baseline {
  double common = std::numeric_limits<double>::quiet_NaN();  ///< one answer for all records
  /// One answer for each client, averaged over the clients that have test records of their own; NaN
  /// if all share one test set.
  double personal = std::numeric_limits<double>::quiet_NaN();
};

/// Returns the scores of the best constant answers.
Baseline best_constants(const PartitionedData& partitioned);

}  // namespace trilemma
