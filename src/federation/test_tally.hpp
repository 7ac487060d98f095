#pragma once
// Scores of a model on test records, in one pass over them.

#include <vector>

#include "problem/problem.hpp"

namespace trilemma {

/// Sums over the records of a batch.
struct BatchScore {
  double score = 0;  ///< number of records classified correctly, or sum of squared errors in the
                     ///< units of the source
  double loss = 0;   ///< sum of the problem's loss, without regulariser
};

/// Scores a problem's models on records, and counts, since the last clear(), the records of each
/// class and those classified correctly.
class TestTally {
 public:
  /// Largest number of classes for which records are counted by class.
  static constexpr std::size_t most_classes = 1000;

  /// `classes` is the number of classes; 0 = real targets.
  TestTally(Problem& problem, std::size_t classes);

  /// Resets the counts.
  void clear();
  /// Adds the loaded batch to the counts and returns its scores at x.
  BatchScore add(const Batch& batch, ConstView x);
  /// Returns the number of records classified correctly by class, followed by the number of records
  /// by class: integers, so counts of several tallies may be added. Empty if classes are not
  /// counted.
  const std::vector<double>& counts() const { return counts_; }
  /// Returns the length of counts().
  std::size_t width() const { return counts_.size(); }

 private:
  BatchScore add_classes(const Batch& batch, ConstView x);
  BatchScore add_others(const Batch& batch, ConstView x);

  Problem& problem_;
  bool have_classes_;
  std::vector<double> counts_;
  Vector room_;  ///< logits, or factors
};

/// Returns the share of records classified correctly by class, from counts() of all tallies; NaN
/// for a class without records.
std::vector<double> class_accuracy(std::span<const double> counts);

}  // namespace trilemma
