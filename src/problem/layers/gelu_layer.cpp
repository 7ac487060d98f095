// Gaussian error linear unit: h = z Phi(z), h' = Phi(z) + z phi(z).

#include <cmath>
#include <numbers>

#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double normal_density(double z) {
  return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

class Gelu final : public Layer {
 public:
  explicit Gelu(const MapShape& in) : Layer(in, in, {}) {}

  void forward(const LayerInputs& in, ConstView, MatrixView out, MatrixView) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(out.rows()); ++r) {
      const ConstView z = in.row(r);
      const View h = row_of(out, r);
      for (std::size_t j = 0; j < z.size(); ++j)
        h[j] = static_cast<real>(z[j] * normal_probability(static_cast<double>(z[j])));
    }
  }

  void backward(const LayerInputs& in, ConstView, const ConstMatrixView&,
                const ConstMatrixView& errors, MatrixView down) override {
    for (std::size_t r = 0; r < static_cast<std::size_t>(down.rows()); ++r) {
      const ConstView e = row_of(errors, r);
      const View to = row_of(down, r);
      for (std::size_t j = 0; j < e.size(); ++j) {
        const auto z = static_cast<double>(in.row(r)[j]);
        to[j] = static_cast<real>(e[j] * (normal_probability(z) + z * normal_density(z)));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Layer> gelu_layer(const MapShape& in) { return std::make_unique<Gelu>(in); }

}  // namespace trilemma
