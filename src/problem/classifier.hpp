#pragma once

#include "problem/problem.hpp"

namespace trilemma {

/// A problem with class probabilities: the softmax of the logits o(x; record).
class Classifier {
 public:
  virtual ~Classifier() = default;
  virtual std::size_t classes() const = 0;
  /// Writes the logits o (rows x classes()) at x.
  virtual void logits(const Batch& batch, ConstView x, View out) = 0;
  /// Writes the factors (rows x Problem::factors()) of the gradients with respect to x of sum_c e_c
  /// o_c, one per record, for given `errors` e (rows x classes()).
  virtual void backpropagate(const Batch& batch, ConstView x, ConstView errors, View factors) = 0;
};

}  // namespace trilemma
