#pragma once
// What a model scores on test records, in one pass over them.

#include <vector>

#include "problem/problem.hpp"

namespace trilemma {

/// Sums over the records of a batch.
struct BatchScore {
  double score = 0;  ///< records classified correctly, or squared errors in the units of the source
  double loss = 0;   ///< the problem's loss, without regulariser
};

/// Scores a problem's models on records, and counts the records of each class and those classified
/// correctly since the last clear().
class TestTally {
 public:
  /// Most classes for which they are counted.
  static constexpr std::size_t most_classes = 1000;

  /// `classes` of the records; 0 = real targets.
  TestTally(Problem& problem, std::size_t classes);

  void clear();
  /// Scores x on the loaded batch.
  BatchScore add(const Batch& batch, ConstView x);
  /// Records classified correctly by class, then records by class: whole numbers, which any number
  /// of tallies may add up. Empty where classes are not counted.
  const std::vector<double>& counts() const { return counts_; }
  /// Length of counts().
  std::size_t width() const { return counts_.size(); }

 private:
  BatchScore add_classes(const Batch& batch, ConstView x);
  BatchScore add_others(const Batch& batch, ConstView x);

  Problem& problem_;
  bool have_classes_;
  std::vector<double> counts_;
  Vector room_;  ///< logits, or factors
};

/// Returns the share of records classified correctly by class, NaN for a class without records, of
/// counts() in total.
std::vector<double> class_accuracy(std::span<const double> counts);

}  // namespace trilemma
