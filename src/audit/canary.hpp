#pragma once
// The worst case for a privacy claim: records with arbitrarily large gradients among records that
// contribute nothing.

#include "data/source.hpp"
#include "problem/problem.hpp"

namespace trilemma {

/// A record whose gradient is `gradient` times the unit vector of `coordinate`, at any model.
struct Canary {
  std::uint32_t client = 0;
  std::uint32_t record = 0;  ///< position in the client's shard
  std::uint32_t coordinate = 0;
  double gradient = 0;
};

/// The data of a federation: canaries, and records with zero gradients for the rest.
struct CanaryData {
  std::size_t dimension = 0;
  std::size_t clients = 0;
  std::size_t records = 0;       ///< number of records of every client
  std::vector<Canary> canaries;  ///< ordered by client and record
  /// Whether gradients have the opposite sign until the model has moved along their coordinate: the
  /// largest difference of two gradients of one record, for estimators that send differences.
  bool turning = false;
};

/// Returns a source with records in client order, to be cut into contiguous shards.
std::unique_ptr<Source> make_canary_source(CanaryData data);

/// Returns the problem f(x) = mean of <a_j, x>, where a_j is the row of record j, so that the
/// gradient of a record is its row. If `turning`, the mean of s_j <a_j, x>, where s_j = -1 while x
/// is 0 at the coordinate of the row, otherwise 1. No regulariser.
std::unique_ptr<Problem> make_canary_problem(std::size_t dimension, bool turning = false);

}  // namespace trilemma
