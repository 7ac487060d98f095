#pragma once
// The logistic loss and its regulariser, except the scalar products of records and model, which
// depend on how the records are stored.

#include <memory>
#include <vector>

#include "problem/interfaces.hpp"

namespace trilemma {

/// Settings of the logistic problem.
struct LogisticSettings {
  double lambda = 0;
  void read(Reader& r) {
    r("lambda", lambda, at_least(0), "weight of the non-convex regulariser sum x^2/(1+x^2)");
  }
};

/// f(x; (a, b)) = log(1 + exp(-b a.x)) + lambda sum_j x_j^2 / (1 + x_j^2), labels b in {-1, +1}
/// ([SOT] experiments; the regulariser is not convex, its derivative is 2 lambda x / (1 + x^2)^2).
/// Factor of a record: the coefficient c = -b / (1 + exp(b a.x)); its gradient is c a.
class LogisticLoss : public Problem, public Classifier {
 public:
  /// How the data set stores the two labels: as b, or as the class (b + 1) / 2.
  enum class Labels { signs, classes };

  LogisticLoss(LogisticSettings s, std::size_t features, Labels labels)
      : features_(features),
        s_(s),
        label_scale_(labels == Labels::signs ? 1 : 2),
        label_shift_(labels == Labels::signs ? 0 : -1) {}

  std::string description() const override;
  std::size_t dimension() const override { return features_; }
  std::size_t factors() const override { return 1; }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override;
  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override;
  bool lengths(const Batch& batch, std::span<double> length) const override;
  void scale(View record_factors, double weight) const override {
    record_factors[0] = static_cast<real>(static_cast<double>(record_factors[0]) * weight);
  }

  double regulariser(ConstView x) const override;
  void add_regulariser_at(ConstView x, Support at, View g) const override;

  std::size_t correct(const Batch& batch, ConstView x) override;

  /// Returns |a|^2 / 4 + 2 lambda: the second derivatives of the loss are at most 1/4 along a,
  /// those of the regulariser lie between -lambda/2 and 2 lambda.
  std::optional<double> smoothness(double largest_norm) const override;
  /// Returns f(0) = log 2, since f >= 0.
  std::optional<double> suboptimality_of_zero() const override;

  /// The classifier has logits 0 and a.x for the labels -1 and +1.
  Classifier* as_classifier() override { return this; }
  bool gives_probabilities() const override { return true; }
  std::size_t classes() const override { return 2; }
  void logits(const Batch& batch, ConstView x, View out) override;
  void backpropagate(const Batch& batch, ConstView x, ConstView errors, View factors) override;

 protected:
  /// Sets margin_[i] to a_i . x for every record i of the batch; margin_ has room for them.
  virtual void find_margins(const Batch& batch, ConstView x) = 0;

  std::size_t features_;
  std::vector<double> margin_, response_;
  std::vector<std::int32_t> label_;

 private:
  void margins(const Batch& batch, ConstView x);
  // Returns the label b of a record.
  int sign(std::int32_t label) const { return label_scale_ * label + label_shift_; }

  LogisticSettings s_;
  int label_scale_, label_shift_;
};

/// Returns the problem for dense records with classes 0 and 1.
std::unique_ptr<Problem> make_dense_logistic(LogisticSettings s, std::size_t features);

}  // namespace trilemma
