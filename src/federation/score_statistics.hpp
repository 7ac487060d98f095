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
  /// While it lives, scores use given statistics; otherwise each batch uses its own.
  class [[nodiscard]] Scope {
   public:
    Scope(BatchNormalised* problem, ConstView statistics);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BatchNormalised* problem_;
  };

  ScoreStatistics(Problem& problem, std::span<const Dataset* const> shards, const Placement& place);

  /// Measures the statistics of all clients at x. Collective.
  void measure_all(ConstView x, Ranks& ranks);
  /// Lets scores use those of the last measure_all().
  Scope of_all() { return {normalised_, of_all_}; }
  /// Lets scores use those of one client at its own model.
  Scope of_client(std::size_t slot, ConstView model);

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
