#pragma once

#include "problem/interfaces.hpp"
#include "problem/low_precision.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {

/// Base of networks with a softmax cross-entropy. The factors of a record end with its logits,
/// which are replaced by the derivative of the loss with respect to them.
class DeepClassifier : public Problem, public Classifier {
 public:
  DeepClassifier(std::size_t classes, WeightDecay decay, LowPrecision low)
      : classes_(classes), decay_(decay), low_(low) {}
  bool mixes_records() const override { return low_.is_on; }
  std::size_t dimension() const override { return dimension_; }
  std::size_t factors() const override { return factors_; }
  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override;
  double loss(const Batch& batch, ConstView x, View factors) override;
  double regulariser(ConstView x) const override { return decay_.value(x); }
  void add_regulariser_at(ConstView x, Support at, View g) const override {
    decay_.add_gradient(x, at, g);
  }
  bool has_bias() const override { return true; }
  std::size_t correct(const Batch& batch, ConstView x) override;

  Classifier* as_classifier() override { return this; }
  bool gives_probabilities() const override { return true; }
  std::size_t classes() const override { return classes_; }
  void logits(const Batch& batch, ConstView x, View out) override;
  void backpropagate(const Batch& batch, ConstView x, ConstView errors, View factors) override;

 protected:
  /// Writes the outputs of the layers for all records of the batch, the logits last.
  virtual void forward(const Batch& batch, ConstView x, View factors) = 0;
  /// Computes the derivatives of every layer from those with respect to the logits, for `count`
  /// records.
  virtual void backward(ConstView x, View factors, std::size_t count) = 0;

  /// Returns the operand that products use for a layer's weights, or for its inputs (if
  /// `is_non_negative`): `values`, or in low precision a quantised copy in `room`.
  ConstMatrixView seen(std::size_t layer, std::size_t layers, ConstMatrixView values,
                       bool is_non_negative, Vector& room) const;
  /// Rounds the derivatives with respect to a layer's outputs, if the layer computes in low
  /// precision.
  void round_derivatives(std::size_t layer, std::size_t layers, MatrixView derivatives);

  /// Returns the factors of one record.
  template <class Values>
  Values record(Values factors, std::size_t number) const {
    return factors.subspan(number * factors_, factors_);
  }

  std::size_t classes_;
  WeightDecay decay_;
  LowPrecision low_;
  std::size_t dimension_ = 0, factors_ = 0;

 private:
  std::optional<Key> coins_;  ///< rounding key of the batch
  std::uint32_t block_ = 0;
  std::vector<std::uint32_t> words_;  ///< scratch
};

}  // namespace trilemma
