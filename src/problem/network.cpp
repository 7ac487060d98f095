#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/deep_classifier.hpp"
#include "problem/kernels/activation.hpp"
#include "problem/kernels/image_columns.hpp"
#include "problem/kernels/image_layer.hpp"
#include "problem/kernels/product.hpp"
#include "problem/weighted.hpp"

namespace trilemma {
namespace {

struct NetworkOptions {
  std::vector<long> hidden = {64};
  Activation activation = Activation::sigmoid;
  WeightDecay decay;
  LowPrecision low;

  void read(Reader& r) {
    r("hidden", hidden, {.low = 1, .high = 1e6},
      "units of the hidden layers: 64, [128, 64] or \"128-64\"; [] for none");
    std::string name = activations()[static_cast<std::size_t>(activation)];
    r("activation", name, activations(), "activation of the hidden layers");
    activation =
        static_cast<Activation>(std::ranges::find(activations(), name) - activations().begin());
    decay.read(r);
    low.read(r, hidden.size() + 1);
  }
};

// One layer: its size, the start of W (inputs x outputs, row-major) and of the biases in the model,
// and the start of its errors and activations in the factors.
struct DenseLayer {
  std::size_t inputs, outputs;
  std::size_t weights, bias;
  std::size_t errors, activations;
};

// Fully connected layers: h_0 = a, h_l = act(W_l^T h_{l-1} + b_l), p = softmax of the last layer
// without activation, loss -log p_label plus l2/2 |x|^2 ([SOT] experiments: one hidden sigmoid
// layer). x holds W_1, b_1, W_2, b_2, ...
// Factors of a record: e_1, h_1, e_2, h_2, ..., e_L with e_L = p - onehot and e_l = (W_{l+1}
// e_{l+1}) * act'(h_l). Its gradient is (h_{l-1} e_l^T, e_l) for all l, so its squared norm is the
// sum of (|h_{l-1}|^2 + 1) |e_l|^2.
class Network final : public DeepClassifier {
 public:
  Network(const NetworkOptions& s, const DataShape& shape)
      : DeepClassifier(static_cast<std::size_t>(shape.classes), s.decay, s.low),
        activation_(s.activation) {
    std::vector<std::size_t> widths{shape.features};
    for (const long units : s.hidden) widths.push_back(static_cast<std::size_t>(units));
    widths.push_back(classes_);
    for (std::size_t l = 1; l < widths.size(); ++l) {
      const std::size_t bias = dimension_ + widths[l - 1] * widths[l];
      layers_.push_back(
          {widths[l - 1], widths[l], dimension_, bias, factors_, factors_ + widths[l]});
      dimension_ = bias + widths[l];
      factors_ += 2 * widths[l];
    }
    factors_ -= classes_;  // the last layer has errors only
  }

  std::string description() const override {
    std::string widths = std::to_string(layers_.front().inputs);
    for (const auto& layer : layers_) widths += fmt::format("-{}", layer.outputs);
    return fmt::format("network {} {}, d = {}{}{}", widths,
                       activations()[static_cast<std::size_t>(activation_)], dimension_,
                       low_.text(), decay_.text());
  }

  // He's law was derived for relu, Glorot's for units whose outputs resemble their inputs.
  StartLaw usual_start() const override {
    if (layers_.size() == 1) return StartLaw::zero;
    return activation_ == Activation::relu ? StartLaw::he : StartLaw::glorot;
  }
  std::vector<StartLayer> start_layers() const override {
    std::vector<StartLayer> found;
    for (const DenseLayer& layer : layers_)
      found.push_back({layer.weights, layer.inputs, layer.outputs, layer.outputs,
                       activation_ == Activation::relu && !is_last(layer)});
    return found;
  }

  void check(const Dataset& data) const override {
    check_dense(data, layers_.front().inputs, "network");
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    const auto& dense = std::get<DenseRows>(shard.rows);
    if (!indexed(dense)) return batch.gather(shard, rows);
    batch.shard = &shard;
    batch.rows = rows;
    image_prefetch(dense, rows);
    for (const auto row : rows) shard.prefetch_facts(row);
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    const auto& length = batch.shard->row_norm;
    expect(length.size() == batch.shard->size(), "shard without row norms");
    if (norm.empty()) return;
    inputs_.resize(norm.size());
    squares_.resize(norm.size());
    std::ranges::fill(norm, 0.0);
    for (std::size_t r = 0; r < norm.size(); ++r) {
      const double input = length[batch.rows[r]];
      inputs_[r] = input * input;
    }
    for (const DenseLayer& layer : layers_) {
      squares_of_rows(factors.data() + layer.errors, factors_, layer.outputs, squares_);
      for (std::size_t r = 0; r < norm.size(); ++r) norm[r] += (inputs_[r] + 1.0) * squares_[r];
      if (!is_last(layer))
        squares_of_rows(factors.data() + layer.activations, factors_, layer.outputs, inputs_);
    }
    for (std::size_t r = 0; r < norm.size(); ++r) {
      // A square may overflow or underflow where the norm does not.
      const bool is_fine = norm[r] >= least_square && norm[r] <= std::numeric_limits<double>::max();
      norm[r] =
          is_fine ? std::sqrt(norm[r]) : careful_norm(length[batch.rows[r]], record(factors, r));
    }
  }

  void scale(View record, double weight) const override {
    for (const DenseLayer& layer : layers_)
      multiply(record.subspan(layer.errors, layer.outputs), weight);
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const std::size_t count = batch.rows.size();
    if (count == 0) return;
    const real w = static_cast<real>(weight);
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    const ConstMatrixView e = errors(factors.data(), layers_[0], count);
    MatrixView g = weights(sum.data(), layers_[0]);
    if (indexed(rows))
      image_transpose_product(rows, batch.rows, w, e, g);
    else
      add_transpose_product(w, features(batch), e, g);
    accumulate_behind_inputs(factors, count, w, sum);
  }

  // Computes only the requested coordinates of the input weights, which are most of the model.
  void accumulate_at(const Batch& batch, ConstView factors, double weight, Coordinates at,
                     View sum) override {
    const std::size_t count = batch.rows.size();
    const DenseLayer& first = layers_[0];
    const Coordinates here = at.first(
        static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), first.bias) - at.begin()));
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    if (!indexed(rows) || !image_columns_pay(here.size(), first.inputs, first.outputs, count))
      return accumulate(batch, factors, weight, sum);
    const real w = static_cast<real>(weight);
    image_transpose_product_at(rows, batch.rows, w, errors(factors.data(), first, count), here,
                               columns_, sum);
    accumulate_behind_inputs(factors, count, w, sum);
  }

 private:
  double careful_norm(double length, ConstView row) const {
    double norm = 0;
    for (const DenseLayer& layer : layers_) {
      norm = std::hypot(norm, std::sqrt(length * length + 1.0) *
                                  euclidean_norm(row.subspan(layer.errors, layer.outputs)));
      if (!is_last(layer))
        length = std::sqrt(norm_squared(row.subspan(layer.activations, layer.outputs)));
    }
    return norm;
  }

  // Adds the gradients of all parameters except the input weights.
  void accumulate_behind_inputs(ConstView factors, std::size_t count, real weight, View sum) {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const DenseLayer& layer = layers_[l];
      if (l > 0)
        add_transpose_product(weight, inputs(factors, l, count),
                              errors(factors.data(), layer, count), weights(sum.data(), layer));
      real* bias = sum.data() + layer.bias;
      for (std::size_t r = 0; r < count; ++r) {
        const ConstView row = record(factors, r).subspan(layer.errors);
        for (std::size_t j = 0; j < layer.outputs; ++j) bias[j] += weight * row[j];
      }
    }
  }

  static bool indexed(const DenseRows& rows) { return !rows.nonzeros.start.empty(); }
  bool is_last(const DenseLayer& layer) const { return &layer == &layers_.back(); }

  // Returns the view of W of a layer in the model or in a gradient.
  template <class T>
  static ViewOf<T> weights(T* x, const DenseLayer& layer) {
    return matrix(x + layer.weights, layer.inputs, layer.outputs, layer.outputs);
  }
  // Return columns of the factor matrix.
  template <class T>
  ViewOf<T> errors(T* factors, const DenseLayer& layer, std::size_t count) const {
    return matrix(factors + layer.errors, count, layer.outputs, factors_);
  }
  template <class T>
  ViewOf<T> hidden(T* factors, const DenseLayer& layer, std::size_t count) const {
    return matrix(factors + layer.activations, count, layer.outputs, factors_);
  }

  // Returns the inputs of layer l > 0.
  ConstMatrixView inputs(ConstView factors, std::size_t l, std::size_t count) {
    const bool is_non_negative = activation_ != Activation::tanh;
    return seen(l, layers_.size(), hidden(factors.data(), layers_[l - 1], count), is_non_negative,
                low_inputs_);
  }
  ConstMatrixView seen_weights(ConstView x, std::size_t l) {
    return seen(l, layers_.size(), weights(x.data(), layers_[l]), false, low_weights_);
  }

  ConstMatrixView features(const Batch& batch) const {
    const std::size_t inputs = layers_.front().inputs;
    return matrix(batch.dense.data(), batch.rows.size(), inputs, inputs);
  }

  // Writes the activations of the hidden layers, and the logits where the last errors are stored
  // later.
  void forward(const Batch& batch, ConstView x, View factors) override {
    const std::size_t count = batch.rows.size();
    const auto& rows = std::get<DenseRows>(batch.shard->rows);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const DenseLayer& layer = layers_[l];
      const ConstMatrixView w = seen_weights(x, l);
      MatrixView out = is_last(layer) ? errors(factors.data(), layer, count)
                                      : hidden(factors.data(), layer, count);
      if (l > 0)
        product(inputs(factors, l, count), w, out);
      else if (indexed(rows))
        image_product(rows, batch.rows, w, out);
      else
        product(features(batch), w, out);
      const real* bias = x.data() + layer.bias;
      for (Eigen::Index r = 0; r < out.rows(); ++r) {
        const View row(out.row(r).data(), layer.outputs);
        if (is_last(layer))
          for (std::size_t j = 0; j < layer.outputs; ++j) row[j] += bias[j];
        else
          activate(activation_, row, bias);
      }
    }
  }

  // Computes the errors of all layers from those of the last one.
  void backward(ConstView x, View factors, std::size_t count) override {
    for (std::size_t l = layers_.size() - 1;; --l) {
      round_derivatives(l, layers_.size(), errors(factors.data(), layers_[l], count));
      if (l == 0) return;
      const DenseLayer& below = layers_[l - 1];
      product_with_transpose(errors(ConstView(factors).data(), layers_[l], count),
                             seen_weights(x, l), errors(factors.data(), below, count));
      for (std::size_t r = 0; r < count; ++r) {
        const View row = record(factors, r);
        chain(activation_, row.subspan(below.errors, below.outputs),
              row.subspan(below.activations, below.outputs));
      }
    }
  }

  Activation activation_;
  std::vector<DenseLayer> layers_;
  Vector low_weights_, low_inputs_;       ///< scratch
  std::vector<double> inputs_, squares_;  ///< scratch, by record
  ImageColumns columns_;                  ///< scratch
};

std::unique_ptr<Problem> make_network(const NetworkOptions& options, const Settings& settings,
                                      const DataShape& shape) {
  require_dense_classes(settings, shape);
  return std::make_unique<Network>(options, shape);
}

}  // namespace

Row<ProblemMaker> network_problem() {
  return part_with_settings(
      "network", "fully connected layers, softmax cross-entropy, on dense rows", make_network);
}

}  // namespace trilemma
