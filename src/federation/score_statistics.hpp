#pragma once

#include "comm/ranks.hpp"
#include "problem/problem.hpp"

namespace trilemma {

/// Gives problems with batch normalisation the statistics by which they score records; does nothing
/// for other problems. A client measures those of a model over some of its training records, evenly
/// spaced, as one batch. The common model uses the mean of all clients' means and mean squares, in
/// double along the tree of client numbers, so they do not depend on the placement.
class ScoreStatistics {
 public:
  ScoreStatistics(Problem& problem, std::span<const Dataset* const> shards, const Placement& place);

  /// Lets scores use the statistics of all clients at x, until reset(). Collective.
  void use_all(ConstView x, Ranks& ranks);
  /// Lets scores use those of one client at its own model, until use_all_again() or reset().
  void use_own(std::size_t slot, ConstView model);
  /// Lets scores use those of the last use_all().
  void use_all_again();
  /// Lets each batch use its own statistics.
  void reset();

 private:
  void measure(std::size_t slot, ConstView x, std::span<double> found);
  Vector means_and_variances(std::span<const double> sum, double batches) const;

  Problem& problem_;
  BatchNormalised* normalised_;
  std::vector<const Dataset*> shards_;
  Placement place_;
  Batch batch_;
  Vector of_all_;
};

}  // namespace trilemma
