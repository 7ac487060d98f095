#pragma once

#include "problem/problem.hpp"

namespace trilemma {

/// Clipped gradients of single records, as factors, in blocks of a fixed number of records so that
/// sums have one order whatever the sampler.
class RecordGradients {
 public:
  /// `largest`, if given, keeps the largest norm of a gradient after clipping.
  RecordGradients(Problem& problem, double threshold, double* largest = nullptr)
      : problem_(problem), threshold_(threshold), largest_(largest) {}

  static constexpr std::size_t block_rows = 512;

  /// Calls visit(first, count) after loading rows [first, first + count) of the list.
  template <class Visit>
  void each_block(const Dataset& shard, Coordinates rows, Visit&& visit) {
    for (std::size_t first = 0; first < rows.size(); first += block_rows) {
      const std::size_t count = std::min(block_rows, rows.size() - first);
      problem_.load(shard, rows.subspan(first, count), batch_);
      visit(first, count);
    }
  }

  /// Factors of the loaded records at x, each scaled so that its gradient has norm <= threshold.
  View compute(ConstView x);
  /// sum += weight * the gradients that `factors` stand for, for the loaded records.
  void accumulate(ConstView factors, double weight, View sum) {
    problem_.accumulate(batch_, factors, weight, sum);
  }
  /// sum += weight * sum of the clipped gradients of `rows` at x.
  void add(const Dataset& shard, Coordinates rows, ConstView x, double weight, View sum);

 private:
  Problem& problem_;
  double threshold_;
  double* largest_;
  Batch batch_;
  Vector factors_;
  std::vector<double> norm_;
};

}  // namespace trilemma
