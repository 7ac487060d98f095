// Learnt positions: h = z + x with one parameter for each value of a record, in its order.

#include "numeric/lanes.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Positions final : public Layer {
 public:
  Positions(const MapShape& in, std::optional<Activation> activation) : Layer(in, in, activation) {}

  std::size_t parameters() const override { return in().size(); }
  std::optional<StartLayer> start(std::size_t first) const override {
    return StartLayer{.first = first,
                      .fan_in = in().pixels(),
                      .fan_out = in().channels,
                      .outputs = in().channels,
                      .is_rectified = false,
                      .has_biases = false,
                      .is_lookup = true};
  }

  void forward(const LayerInputs& in, ConstView parameters, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const ConstView z = in.row(r);
      const View h = row_of(out, r);
      for (std::size_t j = 0; j < h.size(); ++j) h[j] = z[j] + parameters[j];
      if (activation()) activate(*activation(), h);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    down = errors;
  }

  void add_squares(const LayerInputs&, const ConstMatrixView&, const ConstMatrixView& errors,
                   std::span<const double>, std::span<double> squares) override {
    for (std::size_t r = 0; r < squares.size(); ++r) squares[r] += norm_squared(row_of(errors, r));
  }

  void accumulate(const LayerInputs&, const ConstMatrixView&, const ConstMatrixView& errors,
                  real weight, View sum) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(errors.rows()); ++r) {
      const ConstView e = row_of(errors, r);
      for (std::size_t j = 0; j < e.size(); ++j) sum[j] += weight * e[j];
    }
  }
};

}  // namespace

std::unique_ptr<Layer> positions_layer(const MapShape& in, std::optional<Activation> activation) {
  return std::make_unique<Positions>(in, activation);
}

}  // namespace trilemma
