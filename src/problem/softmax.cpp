#include <algorithm>
#include <cmath>

#include "problem/cross_entropy.hpp"
#include "problem/interfaces.hpp"
#include "problem/kernels/elementwise.hpp"
#include "problem/kernels/product.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/kernels/span_product.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {
namespace {

// Multinomial logistic regression: f(x; (a, y)) = log sum_c exp(o_c) - o_y with o = W a + b, plus
// l2/2 |x|^2. x holds W (C x I, row-major) and b (C), the order of the parameters of PyTorch's
// Linear: d = (I + 1) C. Classes are rows, because BLAS is twice as fast for few of them when both
// factors of a product are contiguous along the features.
// Factor of a record: e = p - onehot(y) (C); its gradient is e [a; 1]^T, of norm |e| sqrt(|a|^2+1).
class Softmax final : public LinearModel, public Classifier {
 public:
  Softmax(WeightDecay decay, const DataShape& shape)
      : decay_(decay), inputs_(shape.features), classes_(static_cast<std::size_t>(shape.classes)) {}

  std::string description() const override {
    return fmt::format("softmax regression {}-{}, d = {}{}", inputs_, classes_, dimension(),
                       decay_.text());
  }
  std::size_t dimension() const override { return (inputs_ + 1) * classes_; }
  std::size_t factors() const override { return classes_; }
  bool has_bias() const override { return true; }

  void check(const Dataset& data) const override { check_dense(data, inputs_, "softmax"); }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.gather(shard, rows);
  }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    logits(batch, x, factors);
    double loss = 0;
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      loss +=
          cross_entropy_errors(factors.subspan(r * classes_, classes_), label(batch, r), with_loss);
    return loss;
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    const auto& length = batch.shard->row_norm;
    expect(length.size() == batch.shard->size(), "shard without row norms");
    for (std::size_t r = 0; r < norm.size(); ++r) {
      const double a = length[batch.rows[r]];
      norm[r] = std::sqrt(a * a + 1.0) * euclidean_norm(factors.subspan(r * classes_, classes_));
    }
  }

  void scale(View record, double weight) const override { multiply(record, weight); }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const std::size_t count = batch.rows.size();
    const real w = static_cast<real>(weight);
    MatrixView g = matrix(sum.data(), classes_, inputs_, inputs_);
    each_part(batch, [&](const ConstMatrixView& a, std::size_t first) {
      const auto e = part(factors.data(), first, a.rows());
      add_transpose_product(w, e, a, g);
    });
    real* bias = sum.data() + classes_ * inputs_;
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t c = 0; c < classes_; ++c) bias[c] += w * factors[r * classes_ + c];
  }

  double regulariser(ConstView x) const override { return decay_.value(x); }
  void add_regulariser_at(ConstView x, Support at, View g) const override {
    decay_.add_gradient(x, at, g);
  }

  std::size_t correct(const Batch& batch, ConstView x) override {
    Vector found(batch.rows.size() * classes_);
    logits(batch, x, found);
    std::size_t good = 0;
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      good += likeliest(ConstView(found).subspan(r * classes_, classes_)) == label(batch, r);
    return good;
  }

  Classifier* as_classifier() override { return this; }
  bool gives_probabilities() const override { return true; }
  std::size_t classes() const override { return classes_; }
  // Sets out = A W^T + 1 b^T.
  void logits(const Batch& batch, ConstView x, View out) override {
    const ConstMatrixView w = matrix(x.data(), classes_, inputs_, inputs_);
    each_part(batch, [&](const ConstMatrixView& a, std::size_t first) {
      product_with_transpose(a, w, part(out.data(), first, a.rows()));
    });
    const real* bias = x.data() + classes_ * inputs_;
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      for (std::size_t c = 0; c < classes_; ++c) out[r * classes_ + c] += bias[c];
  }
  void backpropagate(const Batch&, ConstView, ConstView errors, View factors) override {
    std::copy(errors.begin(), errors.end(), factors.begin());
  }

  std::size_t outputs() const override { return classes_; }
  double l2() const override { return decay_.l2; }
  void margins(const Batch& batch, ConstView x, View z) override { logits(batch, x, z); }
  void respond(const Batch& batch, View z, std::size_t stride) override {
    const std::size_t count = batch.rows.size();
    static_assert(span_lanes % softmax_lanes == 0);
    softmax_columns(z, stride, classes_);
    for (std::size_t r = 0; r < count; ++r) z[label(batch, r) * stride + r] -= real{1};
  }
  void gram(const Batch& batch, View products) override {
    const std::size_t count = batch.rows.size();
    const ConstMatrixView a = matrix(batch.dense.data(), count, inputs_, inputs_);
    MatrixView all = matrix(products.data(), count, count, count);
    product_with_transpose(a, a, all);
    all.array() += real{1};  // the constant feature of the bias
  }

 private:
  static std::size_t label(const Batch& batch, std::size_t record) {
    return static_cast<std::size_t>(batch.shard->label[batch.rows[record]]);
  }

  // Calls visit(features, first record) for parts of the batch: for products with fewer than 10^6
  // multiplications OpenBLAS has kernels that are seven times as fast as its general ones for 10
  // classes.
  template <class Visit>
  void each_part(const Batch& batch, Visit&& visit) const {
    constexpr std::size_t records = 32;
    for (std::size_t first = 0; first < batch.rows.size(); first += records) {
      const std::size_t count = std::min(records, batch.rows.size() - first);
      visit(matrix(batch.dense.data() + first * inputs_, count, inputs_, inputs_), first);
    }
  }
  // Returns the factors or logits of a part.
  template <class T>
  ViewOf<T> part(T* factors, std::size_t first, Eigen::Index count) const {
    return matrix(factors + first * classes_, static_cast<std::size_t>(count), classes_, classes_);
  }

  WeightDecay decay_;
  std::size_t inputs_, classes_;
};

std::unique_ptr<Problem> make_softmax(const WeightDecay& decay, const Settings& settings,
                                      const DataShape& shape) {
  require_dense_classes(settings, shape);
  return std::make_unique<Softmax>(decay, shape);
}

}  // namespace

Row<ProblemMaker> softmax_problem() {
  return part_with_settings("softmax", "multinomial logistic regression with bias on dense rows",
                            make_softmax);
}

}  // namespace trilemma
