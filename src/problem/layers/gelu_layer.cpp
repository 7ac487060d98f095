// Gaussian error linear unit: h = z Phi(z), h' = Phi(z) + z phi(z).

#include "problem/kernels/elementwise.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

class Gelu final : public Layer {
 public:
  explicit Gelu(const MapShape& in) : Layer(in, in, {}) {}

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r)
      gelu(in.row(r), row_of(out, r));
  }

  void backward(const LayerInputs& in, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r)
      gelu_slopes(in.row(r), row_of(errors, r), row_of(down, r));
  }
};

}  // namespace

std::unique_ptr<Layer> gelu_layer(const MapShape& in) { return std::make_unique<Gelu>(in); }

}  // namespace trilemma
