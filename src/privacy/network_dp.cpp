#include "privacy/network_dp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trilemma {
namespace {

using Direction = std::vector<double>;

double product(const Direction& a, const Direction& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Direction unit_vector(std::uint32_t nodes, std::uint32_t at) {
  Direction e(nodes, 0.0);
  e[at] = 1;
  return e;
}

// An orthonormal basis that grows.
class Basis {
 public:
  // Adds the part of `z` that is orthogonal to the basis. Returns whether that part was long
  // enough.
  bool add(Direction z) {
    constexpr double shortest = 1e-9;
    for (int pass = 0; pass < 2; ++pass)  // twice is enough (Giraud, Langou and Rozloznik 2005)
      for (const Direction& q : directions_) {
        const double part = product(q, z);
        for (std::size_t i = 0; i < z.size(); ++i) z[i] -= part * q[i];
      }
    const double length = std::sqrt(product(z, z));
    if (length < shortest) return false;
    for (double& value : z) value /= length;
    directions_.push_back(std::move(z));
    return true;
  }

  const Direction& operator[](std::size_t at) const { return directions_[at]; }
  std::size_t size() const { return directions_.size(); }

  // Returns the diagonal of the projector onto the span.
  Direction projector(std::uint32_t nodes) const {
    Direction diagonal(nodes, 0.0);
    for (const Direction& q : directions_)
      for (std::size_t u = 0; u < q.size(); ++u) diagonal[u] += q[u] * q[u];
    for (double& value : diagonal) value = std::min(value, 1.0);
    return diagonal;
  }

 private:
  std::vector<Direction> directions_;
};

}  // namespace

PairwiseLoss exact_pairwise_loss(const AveragingView& view, const Mixing& mix) {
  Basis basis;
  basis.add(unit_vector(view.nodes, view.viewer));
  std::size_t first = basis.size();  // of the directions that the last step added
  for (const std::uint32_t w : view.neighbours) basis.add(unit_vector(view.nodes, w));
  // W e_v lies in the span of e_v and its neighbours, so it is enough to mix the new directions.
  for (std::uint32_t t = 1; t < view.steps && first < basis.size(); ++t) {
    const std::size_t last = basis.size();
    for (std::size_t at = first; at < last && basis.size() < view.nodes; ++at) {
      Direction mixed(view.nodes);
      mix(basis[at], mixed);
      basis.add(std::move(mixed));
    }
    first = last;
  }
  return {basis.projector(view.nodes), basis.size()};
}

std::vector<double> published_pairwise_loss(const AveragingView& view, const Mixing& mix) {
  std::vector<double> sums(view.nodes, 0.0), mixed(view.nodes);
  for (const std::uint32_t w : view.neighbours) {
    Direction row = unit_vector(view.nodes, w);
    for (std::uint32_t t = 0; t < view.steps; ++t) {
      if (t > 0) {
        mix(row, mixed);
        std::swap(row, mixed);
      }
      const double square = product(row, row);
      for (std::size_t u = 0; u < row.size(); ++u) sums[u] += row[u] * row[u] / square;
    }
  }
  return sums;
}

}  // namespace trilemma
