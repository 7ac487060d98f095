// A convolution of any stride. x holds W (patch values x maps, row-major), then b. The gradient of
// a record is (P^T e, sum of the rows of e) with its patches P and errors e, pixels x maps.

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "problem/kernels/product.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class ConvolutionLayer final : public Layer {
 public:
  ConvolutionLayer(const MapShape& in, const StridedConvolution& c, ConvolutionBiases biases,
                   std::optional<Activation> activation)
      : Layer(in, {c.out_height(), c.out_width(), c.outputs}, activation),
        c_(c),
        biases_(biases),
        no_bias_(std::max(c.inputs, c.outputs), real{0}),
        direct_{c.height, c.width, c.inputs, c.kernel, c.padding, c.outputs},
        // The derivatives with respect to the inputs are a convolution of those with respect to
        // the maps.
        back_{c.out_height(),
              c.out_width(),
              c.outputs,
              c.kernel,
              c.kernel - 1 - std::min(c.padding, c.kernel - 1),
              c.inputs},
        is_direct_(c.stride == 1),
        is_direct_back_(c.stride == 1 && c.padding < c.kernel) {}

  std::size_t weights() const override { return c_.weights(); }
  std::size_t parameters() const override { return weights() + (has_biases() ? c_.outputs : 0); }
  std::optional<StartLayer> start(std::size_t first) const override {
    return StartLayer{.first = first,
                      .fan_in = c_.patch_size(),
                      .fan_out = c_.kernel * c_.kernel * c_.outputs,
                      .outputs = c_.outputs,
                      .is_rectified = activation() == Activation::relu,
                      .has_biases = has_biases()};
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out, MatrixView) override {
    const ConstView bias = has_biases() ? parameters.subspan(weights()) : ConstView(no_bias_);
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const View maps = row_of(out, r);
      if (is_direct_) {
        frame(direct_, in.row(r), framed_);
        convolve(direct_, framed_, weights_in(parameters.data()), bias.first(c_.outputs), maps);
      } else {
        MatrixView z = matrix(maps.data(), c_.patches(), c_.outputs, c_.outputs);
        product(patches_of(in.row(r)), weights_in(parameters.data()), z);
        z.rowwise() += matrix(bias.data(), 1, c_.outputs, c_.outputs).row(0);
      }
      if (activation()) activate(*activation(), maps);
    }
  }

  void backward(const LayerInputs&, ConstView parameters, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    if (is_direct_back_) turn(parameters);
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r) {
      const ConstView e = row_of(errors, r);
      if (is_direct_back_) {
        frame(back_, e, framed_);
        convolve(back_, framed_,
                 matrix(ConstView(turned_).data(), back_.patch_size(), c_.inputs, c_.inputs),
                 ConstView(no_bias_).first(c_.inputs), row_of(down, r));
        continue;
      }
      patches_.resize(c_.patches() * c_.patch_size());
      product_with_transpose(
          errors_in(e), weights_in(parameters.data()),
          matrix(patches_.data(), c_.patches(), c_.patch_size(), c_.patch_size()));
      scatter_patches(c_, patches_, row_of(down, r));
    }
  }

  void add_squares(const LayerInputs& in, const ConstMatrixView&, const ConstMatrixView& errors,
                   std::span<const double>, std::span<double> squares) override {
    for (std::size_t r = 0; r < squares.size(); ++r) {
      if (gram_pays()) {
        squares[r] += square_by_gram(patches_of(in.row(r)), errors_in(row_of(errors, r)));
        continue;
      }
      gradient_.assign(parameters(), real{0});
      add_record(in.row(r), row_of(errors, r), 1, gradient_);
      squares[r] += norm_squared(ConstView(gradient_));
    }
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView&, const ConstMatrixView& errors,
                  real weight, View sum) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r)
      add_record(in.row(r), row_of(errors, r), weight, sum);
  }

 private:
  template <class T>
  ViewOf<T> weights_in(T* parameters) const {
    return matrix(parameters, c_.patch_size(), c_.outputs, c_.outputs);
  }
  ConstMatrixView errors_in(ConstView e) const {
    return matrix(e.data(), c_.patches(), c_.outputs, c_.outputs);
  }
  ConstMatrixView patches_of(ConstView image) {
    patches_.resize(c_.patches() * c_.patch_size());
    gather_patches(c_, image, patches_);
    return matrix(ConstView(patches_).data(), c_.patches(), c_.patch_size(), c_.patch_size());
  }

  void add_record(ConstView image, ConstView e, real weight, View sum) {
    add_transpose_product(weight, patches_of(image), errors_in(e), weights_in(sum.data()));
    if (!has_biases()) return;
    bias_.assign(c_.outputs, real{0});
    for (std::size_t v = 0; v < e.size(); v += c_.outputs)
      for (std::size_t o = 0; o < c_.outputs; ++o) bias_[o] += e[v + o];
    for (std::size_t o = 0; o < c_.outputs; ++o) sum[weights() + o] += weight * bias_[o];
  }

  // The squared norm of P^T e is the sum over pairs of pixels (P P^T) (e e^T), Bu, Mao and Xu 2022
  // (arXiv 2205.10683): less work than P^T e where pixels are few. Its terms can cancel where
  // patches are alike, so that they are computed in double, which takes four times as long.
  bool gram_pays() const {
    constexpr std::size_t slower = 4;
    return slower * c_.patches() * (c_.patch_size() + c_.outputs) < c_.patch_size() * c_.outputs;
  }
  double square_by_gram(const ConstMatrixView& patches, const ConstMatrixView& e) const {
    const double of_bias = has_biases() ? 1 : 0;
    double square = 0;
    for (std::size_t p = 0; p < c_.patches(); ++p)
      for (std::size_t q = 0; q <= p; ++q)
        square += (q < p ? 2 : 1) * (dot(row_of(patches, p), row_of(patches, q)) + of_bias) *
                  dot(row_of(e, p), row_of(e, q));
    return std::isnan(square) ? square : std::max(square, 0.0);
  }

  // Stores the weights with the kernel turned by half a turn, and inputs and maps exchanged.
  void turn(ConstView parameters) {
    turned_.resize(c_.weights());
    const std::size_t places = c_.kernel * c_.kernel;
    for (std::size_t k = 0; k < places; ++k)
      for (std::size_t i = 0; i < c_.inputs; ++i)
        for (std::size_t o = 0; o < c_.outputs; ++o)
          turned_[((places - 1 - k) * c_.outputs + o) * c_.inputs + i] =
              parameters[(k * c_.inputs + i) * c_.outputs + o];
  }

  bool has_biases() const { return biases_ == ConvolutionBiases::one_per_map; }

  StridedConvolution c_;
  ConvolutionBiases biases_;
  Vector no_bias_;
  Convolution direct_, back_;
  bool is_direct_, is_direct_back_;
  // Scratch.
  Vector framed_, patches_, gradient_, bias_, turned_;
};

}  // namespace

std::unique_ptr<Layer> convolution_layer(const MapShape& in, const StridedConvolution& shape,
                                         ConvolutionBiases biases,
                                         std::optional<Activation> activation) {
  return std::make_unique<ConvolutionLayer>(in, shape, biases, activation);
}

}  // namespace trilemma
