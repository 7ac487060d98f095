#pragma once
// What a model is worth that has learnt nothing of the features.

#include <limits>

#include "federation/partitioned_data.hpp"

namespace trilemma {

/// Scores on the test records of the best constant answers: the share of the most frequent class,
/// or, for real targets, the root mean squared distance to their mean, in the units of the source.
/// The answers are chosen with the test records in hand, so no model that answers without regard to
/// the features scores better. NaN without test records.
struct Baseline {
  double common = std::numeric_limits<double>::quiet_NaN();  ///< one answer for all
  /// One answer for each client, mean over clients that have test records of their own; NaN where
  /// all share one test set.
  double personal = std::numeric_limits<double>::quiet_NaN();
};

Baseline best_constants(const PartitionedData& partitioned);

}  // namespace trilemma
