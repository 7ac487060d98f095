// Gaussian error linear unit: h = z Phi(z), h' = Phi(z) + z phi(z).

#include <cmath>
#include <numbers>

#include "numeric/vmath.hpp"
#include "problem/layers/layer_kinds.hpp"

namespace trilemma {
namespace {

double normal_density(double z) {
  return vmath::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

// Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/(3 5) + ...), Marsaglia 2004: the same bits on every
// processor, which the C library's erfc does not promise. Beyond 8 it is 0 or 1 to 1e-15.
double normal_probability(double z) {
  constexpr double end = 8;
  if (std::isnan(z)) return z;
  if (std::abs(z) > end) return z > 0 ? 1 : 0;
  double term = z;
  double sum = z;
  for (double i = 3; std::abs(term) > std::abs(sum) * 1e-17; i += 2) {
    term *= z * z / i;
    sum += term;
  }
  return 0.5 + normal_density(z) * sum;
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
