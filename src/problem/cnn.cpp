#include <cmath>

#include "problem/cnn_settings.hpp"
#include "problem/deep_classifier.hpp"
#include "problem/kernels/convolution.hpp"
#include "problem/kernels/product.hpp"
#include "problem/weighted.hpp"

namespace trilemma {
namespace {

// Start of the parameters of a convolution in the model (weights, then biases), and of its pooled
// values (pooled x outputs) in the factors of a record; these are followed by their positions and
// their errors, the same number of each.
struct ConvolutionLayer {
  Convolution shape;
  std::size_t weights, pooled;
  std::size_t bias() const { return weights + shape.weights(); }
  std::size_t size() const { return shape.pooled() * shape.outputs; }
  std::size_t errors() const { return pooled + 2 * size(); }

  template <class Values>
  Values pooled_in(Values record) const {
    return record.subspan(pooled, size());
  }
  template <class Values>
  Values places_in(Values record) const {
    return record.subspan(pooled + size(), size());
  }
  template <class Values>
  Values errors_in(Values record) const {
    return record.subspan(errors(), size());
  }
  PooledErrors back(ConstView record) const { return {errors_in(record), places_in(record)}; }
};

// Convolutions with ReLU and 2 x 2 max pooling, then one linear layer: loss = softmax cross-entropy
// + l2/2 |x|^2. Two convolutions of 5 x 5 with 32 and 64 maps on 28 x 28 pixels are the 4-layer CNN
// of LEAF and [PMTL]: d = 115,646 for 62 classes. x holds W_1 (patch values x maps, row-major),
// b_1, ..., then the linear W (pooled values x classes) and b. Factors of a record: for each
// convolution its pooled values, the position (one of four) from which each was taken, and the
// derivative of the loss at that position; then the derivative e with respect to the logits. The
// gradient of W_l is (patches of the values below)^T times these derivatives; that of the linear W
// is (pooled values) e^T.
class Cnn final : public DeepClassifier {
 public:
  Cnn(const CnnSettings& s, std::size_t side, const DataShape& shape)
      : DeepClassifier(static_cast<std::size_t>(shape.classes), s.decay, s.low),
        features_(shape.features),
        colours_(s.colours) {
    Convolution below{side, side, s.colours, s.kernel, s.padding, 0};
    for (const long maps : s.channels) {
      below.outputs = static_cast<std::size_t>(maps);
      const ConvolutionLayer layer{below, dimension_, factors_};
      layers_.push_back(layer);
      dimension_ = layer.bias() + below.outputs;
      factors_ = layer.errors() + layer.size();
      below = {below.pooled_height(), below.pooled_width(), below.outputs, s.kernel, s.padding, 0};
    }
    linear_ = dimension_;
    dimension_ += (inputs() + 1) * classes_;
    last_ = factors_;
    factors_ += classes_;
  }

  std::string description() const override {
    const Convolution& first = layers_.front().shape;
    std::string maps;
    for (const ConvolutionLayer& layer : layers_) maps += fmt::format("-{}", layer.shape.outputs);
    return fmt::format("cnn {}x{}x{}{}-{}, kernel {}, d = {}{}{}", first.height, first.width,
                       first.inputs, maps, classes_, first.kernel, dimension_, low_.text(),
                       decay_.text());
  }

  // With He's law the first outputs are so large that default step sizes can diverge.
  StartLaw usual_start() const override { return StartLaw::glorot; }
  std::vector<StartLayer> start_layers() const override {
    std::vector<StartLayer> found;
    for (const ConvolutionLayer& layer : layers_) {
      const Convolution& c = layer.shape;
      found.push_back(
          {layer.weights, c.patch_size(), c.kernel * c.kernel * c.outputs, c.outputs, true});
    }
    found.push_back({linear_, inputs(), classes_, classes_, false});
    return found;
  }

  void check(const Dataset& data) const override { check_dense(data, features_, "cnn"); }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.gather(shard, rows);
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    for (std::size_t r = 0; r < norm.size(); ++r) {
      const ConstView row = record(factors, r);
      const ConstView top = layers_.back().pooled_in(row);
      const double linear = std::sqrt(norm_squared(top) + 1.0) * euclidean_norm(row.last(classes_));
      norm[r] = linear * linear;
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const ConstMatrixView images = below(factors, norm.size(), l);
      for (std::size_t r = 0; r < norm.size(); ++r) {
        const Convolution& c = layers_[l].shape;
        sum_.clear(c);
        add_record(image(batch, images, r, l), record(factors, r), l);
        gradient_.assign(c.weights() + c.outputs, real{0});
        sum_.add_to(c, real{1}, gradient_);
        norm[r] += norm_squared(ConstView(gradient_));
      }
    }
    for (double& one : norm) one = std::sqrt(one);
  }

  void scale(View record, double weight) const override {
    for (const ConvolutionLayer& layer : layers_) multiply(layer.errors_in(record), weight);
    multiply(record.last(classes_), weight);
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const std::size_t count = batch.rows.size();
    if (count == 0) return;
    const real w = static_cast<real>(weight);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Convolution& c = layers_[l].shape;
      const ConstMatrixView images = below(factors, count, l);
      sum_.clear(c);
      for (std::size_t r = 0; r < count; ++r)
        add_record(image(batch, images, r, l), record(factors, r), l);
      sum_.add_to(c, w, sum.subspan(layers_[l].weights, c.weights() + c.outputs));
    }
    const auto e = matrix(factors.data() + last_, count, classes_, factors_);
    add_transpose_product(w, below(factors, count, layers_.size()), e,
                          matrix(sum.data() + linear_, inputs(), classes_, classes_));
    matrix(sum.data() + linear_ + inputs() * classes_, 1, classes_, classes_) +=
        w * e.colwise().sum();
  }

 private:
  // Returns the number of inputs of the linear layer.
  std::size_t inputs() const { return layers_.back().size(); }
  std::size_t layers() const { return layers_.size() + 1; }

  // Returns the inputs of layer l > 0, which is the last layer if it is the linear one: one row per
  // record. Layer 0 has images as inputs.
  ConstMatrixView below(ConstView factors, std::size_t count, std::size_t l) {
    if (l == 0) return matrix(factors.data(), 0, 0, 0);
    const ConvolutionLayer& from = layers_[l - 1];
    return seen(l, layers(), matrix(factors.data() + from.pooled, count, from.size(), factors_),
                true, low_inputs_);
  }
  ConstMatrixView weights(ConstView x, std::size_t l) {
    if (l == layers_.size())
      return seen(l, layers(), matrix(x.data() + linear_, inputs(), classes_, classes_), false,
                  low_weights_);
    const Convolution& c = layers_[l].shape;
    return seen(l, layers(),
                matrix(x.data() + layers_[l].weights, c.patch_size(), c.outputs, c.outputs), false,
                low_weights_);
  }

  ConstView image(const Batch& batch, const ConstMatrixView& images, std::size_t r, std::size_t l) {
    if (l == 0) return pixels(batch, r);
    return {images.row(static_cast<Eigen::Index>(r)).data(),
            static_cast<std::size_t>(images.cols())};
  }
  // Returns the image with the colours of a pixel next to each other.
  ConstView pixels(const Batch& batch, std::size_t r) {
    const ConstView planes = ConstView(batch.dense).subspan(r * features_, features_);
    if (colours_ == 1) return planes;
    const std::size_t size = features_ / colours_;
    pixels_.resize(features_);
    for (std::size_t colour = 0; colour < colours_; ++colour)
      for (std::size_t p = 0; p < size; ++p)
        pixels_[p * colours_ + colour] = planes[colour * size + p];
    return pixels_;
  }

  // Writes the pooled values, their positions, and the logits.
  void forward(const Batch& batch, ConstView x, View factors) override {
    const std::size_t count = batch.rows.size();
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const ConvolutionLayer& layer = layers_[l];
      const Convolution& c = layer.shape;
      const ConstMatrixView images = below(factors, count, l);
      const ConstMatrixView w = weights(x, l);
      maps_.resize(c.patches() * c.outputs);
      for (std::size_t r = 0; r < count; ++r) {
        const View row = record(factors, r);
        frame(c, image(batch, images, r, l), framed_);
        convolve(c, framed_, w, x.subspan(layer.bias(), c.outputs), maps_);
        pool(c, maps_, layer.pooled_in(row), layer.places_in(row));
      }
    }
    MatrixView logits = matrix(factors.data() + last_, count, classes_, factors_);
    product(below(factors, count, layers_.size()), weights(x, layers_.size()), logits);
    logits.rowwise() +=
        matrix(x.data() + linear_ + inputs() * classes_, 1, classes_, classes_).row(0);
  }

  // Replaces the derivatives with respect to the logits, and writes those at the positions taken by
  // every pooling. Low precision leaves the zeros at all other positions unchanged.
  void backward(ConstView x, View factors, std::size_t count) override {
    const MatrixView logits = matrix(factors.data() + last_, count, classes_, factors_);
    round_derivatives(layers_.size(), layers(), logits);
    down_.resize(count * inputs());
    product_with_transpose(matrix(ConstView(factors).data() + last_, count, classes_, factors_),
                           weights(x, layers_.size()),
                           matrix(down_.data(), count, inputs(), inputs()));
    for (std::size_t l = layers_.size() - 1;; --l) {
      const ConvolutionLayer& layer = layers_[l];
      for (std::size_t r = 0; r < count; ++r) {
        const View row = record(factors, r);
        pass_positive(layer.pooled_in(row), View(down_).subspan(r * layer.size(), layer.size()),
                      layer.errors_in(row));
      }
      round_derivatives(l, layers(),
                        matrix(factors.data() + layer.errors(), count, layer.size(), factors_));
      if (l == 0) return;
      descend(x, factors, count, l);
    }
  }

  // Writes the derivatives with respect to the inputs of layer l, from those with respect to its
  // maps, into down_.
  void descend(ConstView x, ConstView factors, std::size_t count, std::size_t l) {
    const Convolution& c = layers_[l].shape;
    const std::size_t size = layers_[l - 1].size();
    transpose_.set_weights(c, weights(x, l));
    down_.resize(count * size);
    for (std::size_t r = 0; r < count; ++r)
      transpose_(c, layers_[l].back(record(factors, r)), View(down_).subspan(r * size, size));
  }

  // Adds the gradient of one record, whose input to layer l is `image`, to sum_.
  void add_record(ConstView image, ConstView factors, std::size_t l) {
    const Convolution& c = layers_[l].shape;
    frame(c, image, framed_);
    sum_.add(c, framed_, layers_[l].back(factors));
  }

  std::size_t features_, colours_;
  std::vector<ConvolutionLayer> layers_;
  std::size_t linear_ = 0, last_ = 0;  ///< start of the linear layer, and of the logits
  // Scratch.
  Vector framed_, maps_, pixels_, down_, gradient_, low_weights_, low_inputs_;
  ConvolutionGradient sum_;
  ConvolutionTranspose transpose_;
};

std::unique_ptr<Problem> make_cnn(const CnnSettings& s, const Settings& settings,
                                  const DataShape& shape) {
  require_dense_classes(settings, shape);
  if (s.channels.empty())
    settings.refuse("channels",
                    "at least one convolution; for none choose problem.kind = \"softmax\"");
  return std::make_unique<Cnn>(s, image_side(settings, s, shape), shape);
}

}  // namespace

Row<ProblemMaker> cnn_problem() {
  return part_with_settings(
      "cnn", "convolutions with ReLU and max pooling, a linear layer, softmax cross-entropy",
      make_cnn);
}

}  // namespace trilemma
