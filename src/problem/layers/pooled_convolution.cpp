// A convolution of stride 1, ReLU and 2 x 2 max pooling as one layer: only one of four derivatives
// is not zero, which spares three quarters of the backward pass. Its outputs are the pooled values;
// kept is the position (0 to 3) from which each was taken. x holds W (patch values x maps,
// row-major), then b.

#include "numeric/lanes.hpp"
#include "problem/kernels/convolution.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class PooledConvolution final : public Layer {
 public:
  PooledConvolution(const MapShape& in, const Convolution& c)
      : Layer(in, {c.pooled_height(), c.pooled_width(), c.outputs}, Activation::relu), c_(c) {}

  std::size_t weights() const override { return c_.weights(); }
  std::size_t parameters() const override { return weights() + c_.outputs; }
  double products() const override {
    return static_cast<double>(weights()) * static_cast<double>(c_.patches());
  }
  std::size_t kept() const override { return out().size(); }
  std::optional<StartLayer> start(std::size_t first) const override {
    return StartLayer{first, c_.patch_size(), c_.kernel * c_.kernel * c_.outputs, c_.outputs, true};
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out,
               MatrixView kept) override {
    maps_.resize(c_.patches() * c_.outputs);
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      frame(c_, in.row(r), framed_);
      convolve(c_, framed_, matrix_of(parameters), parameters.subspan(weights()), maps_);
      pool(c_, maps_, row_of(out, r), row_of(kept, r));
    }
  }

  void backward(const LayerInputs&, ConstView parameters, const ConstMatrixView& kept,
                const ConstMatrixView& errors, MatrixView down) override {
    transpose_.set_weights(c_, matrix_of(parameters));
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r)
      transpose_(c_, {row_of(errors, r), row_of(kept, r)}, row_of(down, r));
  }

  void add_squares(const LayerInputs& in, const ConstMatrixView& kept,
                   const ConstMatrixView& errors, std::span<const double>,
                   std::span<double> squares) override {
    for (std::size_t r = 0; r < squares.size(); ++r) {
      sum_.clear(c_);
      add_record(in, kept, errors, r);
      gradient_.assign(parameters(), real{0});
      sum_.add_to(c_, real{1}, gradient_);
      squares[r] += norm_squared(ConstView(gradient_));
    }
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView& kept, const ConstMatrixView& errors,
                  real weight, View sum) override {
    sum_.clear(c_);
    for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r)
      add_record(in, kept, errors, r);
    sum_.add_to(c_, weight, sum);
  }

 private:
  ConstMatrixView matrix_of(ConstView parameters) const {
    return matrix(parameters.data(), c_.patch_size(), c_.outputs, c_.outputs);
  }
  void add_record(const LayerInputs& in, const ConstMatrixView& kept, const ConstMatrixView& errors,
                  std::size_t r) {
    frame(c_, in.row(r), framed_);
    sum_.add(c_, framed_, {row_of(errors, r), row_of(kept, r)});
  }

  Convolution c_;
  // Scratch.
  Vector framed_, maps_, gradient_;
  ConvolutionGradient sum_;
  ConvolutionTranspose transpose_;
};

}  // namespace

std::unique_ptr<Layer> pooled_convolution_layer(const MapShape& in, const Convolution& shape) {
  return std::make_unique<PooledConvolution>(in, shape);
}

}  // namespace trilemma
