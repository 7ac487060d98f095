#pragma once
// Statistics on how unequal the clients of a partition are.

#include "data/partition.hpp"

namespace trilemma {

/// Distribution of a number over the clients. Quartiles by the nearest-rank method.
struct Quartiles {
  double least = 0, lower = 0, median = 0, upper = 0, most = 0, mean = 0;
};

/// Statistics of a partition. Label statistics are NaN if records have real targets.
struct PartitionStatistics {
  Quartiles records;        ///< records that a client trains on
  Quartiles held_out;       ///< test records of a client
  Quartiles labels;         ///< number of different labels of a client
  Quartiles largest_share;  ///< share of a client's records with its most frequent label
  /// Total variation distance between the labels of a client and those of all clients together: 1/2
  /// sum over labels of |share of the client - share of all|, from 0 (equal) to 1.
  Quartiles distance;
  std::size_t unassigned = 0;  ///< records of the training set that no client has
};

/// Returns the distribution of `values`, which must not be empty.
Quartiles quartiles_of(std::vector<double> values);

/// Returns the statistics of `partition`. `held_out` lists the test records of each client, or is
/// empty; `from_training`: they are records of `train`.
PartitionStatistics partition_statistics(const Dataset& train, const Partition& partition,
                                         const std::vector<std::vector<std::uint32_t>>& held_out,
                                         bool from_training);

}  // namespace trilemma
