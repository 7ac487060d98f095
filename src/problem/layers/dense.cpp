// Fully connected: z = W^T a + b. x holds W (inputs x outputs, row-major), then b. The gradient of
// a record is (a e^T, e), so its squared norm is (|a|^2 + 1) |e|^2.

#include <algorithm>
#include <cmath>

#include "numeric/lanes.hpp"
#include "problem/kernels/image_columns.hpp"
#include "problem/kernels/image_layer.hpp"
#include "problem/kernels/product.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Dense final : public Layer {
 public:
  Dense(const MapShape& in, std::size_t units, std::optional<Activation> activation)
      : Layer(in, {1, 1, units}, activation) {}

  std::size_t weights() const override { return in().size() * outputs(); }
  std::size_t parameters() const override { return weights() + outputs(); }
  std::optional<StartLayer> start(std::size_t first) const override {
    return StartLayer{first, in().size(), outputs(), outputs(), activation() == Activation::relu};
  }

  bool reads_indexed_images() const override { return true; }
  void forward(const LayerInputs& in, ConstView parameters, MatrixView out, MatrixView) override {
    const auto w = matrix_of(parameters.data());
    if (in.images != nullptr)
      image_product(*in.images, in.rows, w, out);
    else
      product(in.values, w, out);
    const ConstView bias = parameters.subspan(weights());
    for (Eigen::Index r = 0; r < out.rows(); ++r) {
      const View row = row_of(out, static_cast<std::size_t>(r));
      if (activation())
        activate(*activation(), row, bias.data());
      else
        for (std::size_t j = 0; j < row.size(); ++j) row[j] += bias[j];
    }
  }

  void backward(const LayerInputs&, ConstView parameters, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    product_with_transpose(errors, matrix_of(parameters.data()), down);
  }

  bool needs_squares_of_inputs() const override { return true; }
  void add_squares(const LayerInputs&, const ConstMatrixView&, const ConstMatrixView& errors,
                   std::span<const double> squares_of_inputs, std::span<double> squares) override {
    own_squares_.resize(squares.size());
    squares_of_rows(errors.data(), static_cast<std::size_t>(errors.outerStride()), outputs(),
                    own_squares_);
    for (std::size_t r = 0; r < squares.size(); ++r)
      squares[r] += (squares_of_inputs[r] + 1.0) * own_squares_[r];
  }
  double norm(double length_of_inputs, ConstView errors) const override {
    return std::sqrt(length_of_inputs * length_of_inputs + 1.0) * euclidean_norm(errors);
  }

  void accumulate(const LayerInputs& in, const ConstMatrixView&, const ConstMatrixView& errors,
                  real weight, View sum) override {
    const MatrixView w = matrix_of(sum.data());
    if (in.images != nullptr)
      image_transpose_product(*in.images, in.rows, weight, errors, w);
    else
      add_transpose_product(weight, in.values, errors, w);
    add_biases(errors, weight, sum);
  }

  // The weights of the first layer are most of a model for images.
  bool accumulate_at(const LayerInputs& in, const ConstMatrixView& errors, real weight,
                     Coordinates at, View sum) override {
    const auto count = static_cast<std::size_t>(errors.rows());
    const auto end = std::lower_bound(at.begin(), at.end(), weights());
    const Coordinates here = at.first(static_cast<std::size_t>(end - at.begin()));
    if (in.images == nullptr ||
        !image_columns_pay(here.size(), this->in().size(), outputs(), count))
      return false;
    image_transpose_product_at(*in.images, in.rows, weight, errors, here, columns_, sum);
    add_biases(errors, weight, sum);
    return true;
  }

 private:
  std::size_t outputs() const { return out().channels; }
  template <class T>
  ViewOf<T> matrix_of(T* parameters) const {
    return matrix(parameters, in().size(), outputs(), outputs());
  }
  void add_biases(const ConstMatrixView& errors, real weight, View sum) const {
    real* const bias = sum.data() + weights();
    for (Eigen::Index r = 0; r < errors.rows(); ++r) {
      const ConstView row = row_of(errors, static_cast<std::size_t>(r));
      for (std::size_t j = 0; j < row.size(); ++j) bias[j] += weight * row[j];
    }
  }

  std::vector<double> own_squares_;  ///< scratch
  ImageColumns columns_;             ///< scratch
};

}  // namespace

std::unique_ptr<Layer> dense_layer(const MapShape& in, std::size_t units,
                                   std::optional<Activation> activation) {
  return std::make_unique<Dense>(in, units, activation);
}

}  // namespace trilemma
