#include "problem/span_product.hpp"

#include <Eigen/Core>

namespace trilemma {

static_assert(span_group == 4, "one sum for each output of a group");

void subtract_products(const real* products, std::size_t m, std::size_t width, const real* sum,
                       std::size_t outputs, real rate, real* z) {
  using Lanes = Eigen::Array<real, span_lanes, 1>;
  for (std::size_t b = 0; b < width; b += span_lanes)
    for (std::size_t o = 0; o < outputs; o += span_group) {
      const real* row = sum + o * width;
      Lanes p0 = Lanes::Zero();
      Lanes p1 = p0;
      Lanes p2 = p0;
      Lanes p3 = p0;
      for (std::size_t k = 0; k < m; ++k) {
        const Lanes g = Eigen::Map<const Lanes>(products + k * width + b);
        p0 += row[k] * g;
        p1 += row[width + k] * g;
        p2 += row[2 * width + k] * g;
        p3 += row[3 * width + k] * g;
      }
      real* to = z + o * width + b;
      Eigen::Map<Lanes>(to) -= rate * p0;
      Eigen::Map<Lanes>(to + width) -= rate * p1;
      Eigen::Map<Lanes>(to + 2 * width) -= rate * p2;
      Eigen::Map<Lanes>(to + 3 * width) -= rate * p3;
    }
}

}  // namespace trilemma
