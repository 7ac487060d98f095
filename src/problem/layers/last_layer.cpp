// The last pixel: what a sequence ends with.

#include <algorithm>

#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Last final : public Layer {
 public:
  Last(const MapShape& in, std::optional<Activation> activation)
      : Layer(in, {1, 1, in.channels}, activation) {}

  bool passes_signs() const override { return true; }

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const View h = row_of(out, r);
      std::ranges::copy(in.row(r).last(h.size()), h.begin());
      if (activation()) activate(*activation(), h);
    }
  }

  void backward(const LayerInputs&, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    down.setZero();
    down.rightCols(errors.cols()) = errors;
  }
};

}  // namespace

std::unique_ptr<Layer> last_layer(const MapShape& in, std::optional<Activation> activation) {
  return std::make_unique<Last>(in, activation);
}

}  // namespace trilemma
