#pragma once
// Further interfaces, which some problems have (Problem::as_linear_model() and the like).

#include "problem/problem.hpp"

namespace trilemma {

/// A problem that depends on a record only through its c margins z = a^T W (+ b): the factors of a
/// record are the derivatives of its loss with respect to them, and its regulariser is l2/2 |x|^2.
/// Several gradient steps on few records can therefore be computed in the span of these records.
class LinearModel : public Problem {
 public:
  /// Returns c, which equals factors().
  virtual std::size_t outputs() const = 0;
  /// Returns the weight of the regulariser.
  virtual double l2() const = 0;
  /// Writes the margins z (rows x c) at x.
  virtual void margins(const Batch& batch, ConstView x, View z) = 0;
  /// Replaces margins by factors. The margins of output o start at o * stride, one per record, so
  /// that several records are processed at once; the stride is a multiple of span_lanes
  /// (span_product.hpp), and the padding is overwritten.
  virtual void respond(const Batch& batch, View z, std::size_t stride) = 0;
  /// Writes the scalar products of all pairs of records, including that of a constant feature (rows
  /// x rows).
  virtual void gram(const Batch& batch, View products) = 0;

  LinearModel* as_linear_model() final { return this; }
};

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

/// A problem with batch normalisation (Ioffe and Szegedy 2015): its layers normalise each channel
/// by its mean and variance over the batch, so that the loss of a record depends on the records
/// that are processed with it. Scores use fixed statistics instead.
class BatchNormalised {
 public:
  virtual ~BatchNormalised() = default;
  /// Returns the number of channels that are normalised, of all layers together.
  virtual std::size_t normalised_channels() const = 0;
  /// Returns the number of training records of a client that give the statistics for scores.
  virtual std::size_t statistics_records() const = 0;
  /// Sets the first half of `found` to the means over the batch at x, by channel, and the second
  /// half to the means of the squares.
  virtual void measure_statistics(const Batch& batch, ConstView x, std::span<double> found) = 0;
  /// Lets logits use these means, and variances after them, until called with an empty view.
  virtual void use_statistics(ConstView means_and_variances) = 0;
};

}  // namespace trilemma
