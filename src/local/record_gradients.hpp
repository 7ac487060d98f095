#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/ratio_histogram.hpp"
#include "base/support.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/problem.hpp"

namespace trilemma {

/// Observations on clipped gradients since they were last read.
struct GradientNotes {
  double largest_norm = -std::numeric_limits<double>::infinity();  ///< after clipping
  std::uint64_t not_finite = 0;  ///< number of gradients replaced by 0
  std::uint64_t bounded = 0;     ///< number of gradients with finite norms
  std::uint64_t clipped = 0;     ///< number of these whose norm exceeded the threshold
  RatioHistogram ratios;         ///< norms before clipping / threshold, of every eighth in a batch
};

/// Bound of the gradient z of every record.
struct RecordBound {
  double threshold = std::numeric_limits<double>::infinity();  ///< G; infinite = none
  bool is_smooth = false;  ///< z becomes G z / (G + ||z||), not z min(1, G / ||z||)
};

/// Clipped gradients of single records, represented by factors, in blocks of a fixed number of
/// records so that sums have the same order for any sampler. Under a threshold, a record whose
/// features or gradient have no finite norm counts as a record with gradient 0, independently of
/// the other records.
class RecordGradients {
 public:
  /// `notes` may be null.
  RecordGradients(Problem& problem, RecordBound bound, GradientNotes* notes = nullptr)
      : problem_(problem), bound_(bound), notes_(notes), block_(block_rows(problem)) {}

  /// Calls visit(first, count) after loading rows [first, first + count) of the list.
  template <class Visit>
  void each_block(const Dataset& shard, Coordinates rows, Visit&& visit) {
    for (std::size_t first = 0; first < rows.size(); first += block_) {
      const std::size_t count = std::min(block_, rows.size() - first);
      load(shard, rows.subspan(first, count));
      first_ = first;
      visit(first, count);
    }
  }

  /// Returns the factors of the loaded records at x, each scaled so that its gradient has norm <=
  /// threshold.
  View compute(ConstView x);
  /// Adds weight * the gradients of the loaded records, represented by `factors`, to `sum` at the
  /// coordinates `at`; other coordinates of `sum` are undefined afterwards.
  void accumulate(ConstView factors, double weight, View sum, Support at = Support::all()) {
    if (at.is_all()) return problem_.accumulate(batch_, factors, weight, sum);
    problem_.accumulate_at(batch_, factors, weight, at.list(), sum);
  }
  /// Adds weight * the sum of the clipped gradients of `rows` at x to `sum`, at the coordinates
  /// `at`. `coins` addresses the random rounding of problems that use it.
  void add(const Dataset& shard, Coordinates rows, ConstView x, double weight, View sum,
           const std::optional<Key>& coins = {}, Support at = Support::all());

 private:
  void load(const Dataset& shard, Coordinates rows);
  void note(const NormsOfFactors& norms, std::size_t count);
  bool clip(View factors, std::size_t width);
  void measure_clipped(ConstView factors);
  double weight(double norm) const;

  Problem& problem_;
  RecordBound bound_;
  GradientNotes* notes_;
  std::size_t block_;      ///< number of records
  std::size_t first_ = 0;  ///< position in the list of the first loaded record
  Batch batch_;
  std::vector<std::size_t> hidden_;  ///< positions in the batch of records without finite features
  Vector factors_;
  std::vector<double> norm_;
};

}  // namespace trilemma
