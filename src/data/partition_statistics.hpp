#pragma once
// How unequal the clients of a partition are.

#include "data/partition.hpp"

namespace trilemma {

/// Distribution of one number over the clients. Quartiles by the nearest rank.
struct Quartiles {
  double least = 0, lower = 0, median = 0, upper = 0, most = 0, mean = 0;
};

/// NaN in what counts labels where records have real targets.
struct PartitionStatistics {
  Quartiles records;        ///< a client trains on
  Quartiles held_out;       ///< a client keeps for tests
  Quartiles labels;         ///< different ones of a client's records
  Quartiles largest_share;  ///< of a client's records that have its most frequent label
  /// Total variation distance between a client's labels and those of all clients together:
  /// 1/2 sum over labels of |share here - share there|, from 0 (alike) to 1.
  Quartiles distance;
  std::size_t unassigned = 0;  ///< records of the training set that nobody has
};

/// `values` must not be empty.
Quartiles quartiles_of(std::vector<double> values);

/// `held_out` by client, or empty; `from_training` says that these are records of `train`.
PartitionStatistics partition_statistics(const Dataset& train, const Partition& partition,
                                         const std::vector<std::vector<std::uint32_t>>& held_out,
                                         bool from_training);

}  // namespace trilemma
