#include <algorithm>
#include <cmath>

#include "core/lanes.hpp"
#include "core/vmath.hpp"
#include "problem/image_layer.hpp"
#include "problem/matrix.hpp"
#include "problem/problem.hpp"

namespace trilemma {
namespace {

struct NetworkSettings {
  std::size_t hidden;
};

NetworkSettings read(Settings& s) {
  return {
      static_cast<std::size_t>(s.integer("hidden", 64, at_least(1), "units of the hidden layer"))};
}

// I-H-C network: h = sigmoid(W1^T a + b1), p = softmax(W2^T h + b2), loss -log p_label ([SOT]
// experiments). x holds W1 (I x H), b1 (H), W2 (H x C), b2 (C), row-major: d = IH + H + HC + C.
// Factors of a record: (e1, h, e2) with e2 = p - onehot (C) and e1 = (W2 e2) * h (1 - h) (H); its
// gradient is (a e1^T, e1, h e2^T, e2), so its squared norm is (|a|^2+1)|e1|^2 + (|h|^2+1)|e2|^2.
class Network final : public Problem {
 public:
  Network(NetworkSettings s, const DataShape& shape)
      : inputs_(shape.features),
        hidden_(s.hidden),
        classes_(static_cast<std::size_t>(shape.classes)) {}

  std::string description() const override {
    return fmt::format("network {}-{}-{} sigmoid, d = {}", inputs_, hidden_, classes_, dimension());
  }
  std::size_t dimension() const override {
    return inputs_ * hidden_ + hidden_ + hidden_ * classes_ + classes_;
  }
  std::size_t factors() const override { return 2 * hidden_ + classes_; }

  void check(const Dataset& data) const override {
    require(std::holds_alternative<DenseRows>(data.rows),
            "problem.kind = \"network\": needs dense records; choose data.source = \"idx\"");
    require(data.features() == inputs_, "problem network: {} features found, {} expected",
            data.features(), inputs_);
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    const auto& dense = std::get<DenseRows>(shard.rows);
    if (!indexed(dense)) return batch.gather(shard, rows);
    batch.shard = &shard;
    batch.rows = rows;
    image_prefetch(dense, rows);
  }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    const std::size_t count = batch.rows.size();
    if (count == 0) return 0;
    const Parts<ConstMatrixView> w = parts(x.data());
    Split<MatrixView> e = split(factors.data(), count);
    forward(batch, w, e.hidden, e.output);
    double loss = 0;
    for (std::size_t r = 0; r < count; ++r) {
      real* logits = row_of(factors, r).data() + 2 * hidden_;
      const auto label = static_cast<std::size_t>(batch.shard->label[batch.rows[r]]);
      if (with_loss) loss += cross_entropy({logits, classes_}, label);
      softmax({logits, classes_});
      logits[label] -= real{1};
    }
    e.input.noalias() = e.output * w.w2.transpose();
    for (std::size_t r = 0; r < count; ++r) {
      real* e1 = row_of(factors, r).data();
      const real* h = e1 + hidden_;
      for (std::size_t j = 0; j < hidden_; ++j) e1[j] *= h[j] * (real{1} - h[j]);
    }
    return loss;
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    const auto& length = batch.shard->row_norm;
    expect(length.size() == batch.shard->size(), "shard without row norms");
    for (std::size_t r = 0; r < norm.size(); ++r) {
      const ConstView row = row_of(factors, r);
      const double e1 = norm_squared(row.first(hidden_));
      const double h = norm_squared(row.subspan(hidden_, hidden_));
      const double e2 = norm_squared(row.last(classes_));
      const double a = length[batch.rows[r]];
      norm[r] = std::sqrt((a * a + 1.0) * e1 + (h + 1.0) * e2);
    }
  }

  void scale(View record, double weight) const override {
    const real w = static_cast<real>(weight);
    for (auto& e : record.first(hidden_)) e *= w;
    for (auto& e : record.last(classes_)) e *= w;
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const std::size_t count = batch.rows.size();
    if (count == 0) return;
    const real w = static_cast<real>(weight);
    Parts<MatrixView> g = parts(sum.data());
    const Split<ConstMatrixView> e = split(factors.data(), count);
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    if (indexed(rows))
      image_transpose_product(rows, batch.rows, w, e.input, g.w1);
    else
      g.w1.noalias() += w * features(batch).transpose() * e.input;
    g.w2.noalias() += w * e.hidden.transpose() * e.output;
    for (std::size_t r = 0; r < count; ++r) {
      const ConstView row = row_of(factors, r);
      for (std::size_t j = 0; j < hidden_; ++j) g.b1[j] += w * row[j];
      for (std::size_t j = 0; j < classes_; ++j) g.b2[j] += w * row[2 * hidden_ + j];
    }
  }

  double regulariser(ConstView) const override { return 0; }
  void add_regulariser_gradient(ConstView, View) const override {}

  std::size_t correct(const Batch& batch, ConstView x) override {
    const std::size_t count = batch.rows.size();
    Vector activations(count * factors());
    const Split<MatrixView> e = split(activations.data(), count);
    forward(batch, parts(x.data()), e.hidden, e.output);
    std::size_t good = 0;
    for (std::size_t r = 0; r < count; ++r) {
      const ConstView logits = row_of(ConstView(activations), r).last(classes_);
      const auto guess = std::max_element(logits.begin(), logits.end()) - logits.begin();
      good += guess == batch.shard->label[batch.rows[r]] ? 1U : 0U;
    }
    return good;
  }

 private:
  // The model (or a gradient) as matrices and biases.
  template <class View>
  struct Parts {
    View w1;
    typename View::PointerType b1;
    View w2;
    typename View::PointerType b2;
  };
  // e1, h, e2: columns of the factor matrix.
  template <class View>
  struct Split {
    View input, hidden, output;
  };

  static bool indexed(const DenseRows& rows) { return !rows.nonzeros.start.empty(); }

  template <class T>
  Parts<ViewOf<T>> parts(T* x) const {
    T* b1 = x + inputs_ * hidden_;
    T* w2 = b1 + hidden_;
    return {matrix(x, inputs_, hidden_, hidden_), b1, matrix(w2, hidden_, classes_, classes_),
            w2 + hidden_ * classes_};
  }

  template <class T>
  Split<ViewOf<T>> split(T* factors, std::size_t count) const {
    const std::size_t stride = this->factors();
    return {matrix(factors, count, hidden_, stride),
            matrix(factors + hidden_, count, hidden_, stride),
            matrix(factors + 2 * hidden_, count, classes_, stride)};
  }

  // The factors of one record.
  template <class Values>
  Values row_of(Values factors, std::size_t record) const {
    return factors.subspan(record * this->factors(), this->factors());
  }

  ConstMatrixView features(const Batch& batch) const {
    return matrix(batch.dense.data(), batch.rows.size(), inputs_, inputs_);
  }

  // h = sigmoid(a W1 + b1), o = h W2 + b2
  void forward(const Batch& batch, const Parts<ConstMatrixView>& w, MatrixView h,
               MatrixView o) const {
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    if (indexed(rows))
      image_product(rows, batch.rows, w.w1, h);
    else
      h.noalias() = features(batch) * w.w1;
    for (Eigen::Index r = 0; r < h.rows(); ++r) {
      real* row = h.row(r).data();
      for (std::size_t j = 0; j < hidden_; ++j) {
        const real z = row[j] + w.b1[j];
        row[j] = real{1} / (real{1} + vmath::exp(-z));
      }
    }
    o.noalias() = h * w.w2;
    for (Eigen::Index r = 0; r < o.rows(); ++r)
      for (std::size_t j = 0; j < classes_; ++j) o.row(r).data()[j] += w.b2[j];
  }

  // log sum exp(logits) - logits[label] in double.
  static double cross_entropy(ConstView logits, std::size_t label) {
    const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0;
    for (const real logit : logits) sum += std::exp(static_cast<double>(logit) - top);
    return top + std::log(sum) - static_cast<double>(logits[label]);
  }

  // Turns logits into probabilities.
  static void softmax(View logits) {
    const real top = *std::max_element(logits.begin(), logits.end());
    real sum = 0;
    for (auto& logit : logits) logit = vmath::exp(logit - top);
    for (const real part : logits) sum += part;
    for (auto& part : logits) part /= sum;
  }

  std::size_t inputs_, hidden_, classes_;
};

void declare(Settings& settings) { read(settings); }
std::unique_ptr<Problem> make(Settings& settings, const DataShape& shape) {
  if (shape.sparse.value_or(false))
    settings.refuse("kind", "the network needs dense records; choose data.source = \"idx\"");
  return std::make_unique<Network>(read(settings), shape);
}

}  // namespace

Row<ProblemMaker> network_row() {
  return {"network", "one hidden sigmoid layer, softmax cross-entropy, on dense rows", declare,
          make};
}

}  // namespace trilemma
