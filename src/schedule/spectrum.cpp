#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/random.hpp"
#include "schedule/graph.hpp"

namespace trilemma {
namespace {

// `below` = 1 - lambda_2, which keeps its digits where the gap is small.
// Eigenvalues at the level of rounding errors are 0.
Spectrum spectrum_from(double below, double least) {
  constexpr double rounding = 1e-13;
  if (std::abs(1 - below) < rounding) below = 1;
  if (std::abs(least) < rounding) least = 0;
  Spectrum s{.second = 1 - below, .least = least};
  s.gap = std::min(s.second >= 0 ? below : 2 - below, 1 - std::abs(least));
  return s;
}

// The symmetric tridiagonal matrix that Lanczos steps build.
class LanczosMatrix {
 public:
  explicit LanczosMatrix(const Graph& graph)
      : graph_(graph), now_(graph.nodes()), before_(graph.nodes(), 0.0), next_(graph.nodes()) {
    normals({0, Purpose::graph, 1}, 0, now_);
    remove_mean(now_);
    scale(now_, 1 / norm(now_));
  }

  // Takes steps until the matrix has `size` rows. Returns false if the vectors with mean 0 are
  // exhausted, so that its eigenvalues are exact.
  bool grow(std::size_t size) {
    while (diagonal_.size() < size) {
      graph_.mix(now_, next_);
      const double alpha = std::inner_product(next_.begin(), next_.end(), now_.begin(), 0.0);
      diagonal_.push_back(alpha);
      for (std::size_t i = 0; i < next_.size(); ++i)
        next_[i] -= alpha * now_[i] + last_ * before_[i];
      remove_mean(next_);
      last_ = norm(next_);
      if (last_ < 1e-12) return false;
      scale(next_, 1 / last_);
      off_.push_back(last_);
      std::swap(before_, now_);
      std::swap(now_, next_);
    }
    return true;
  }

  // Returns the largest eigenvalue, or the smallest, by bisection.
  double extreme(bool largest) const {
    const std::size_t size = diagonal_.size();
    double low = diagonal_[0], high = diagonal_[0];
    for (std::size_t i = 0; i < size; ++i) {
      const double radius = (i > 0 ? off_[i - 1] : 0) + (i + 1 < size ? off_[i] : 0);
      low = std::min(low, diagonal_[i] - radius);
      high = std::max(high, diagonal_[i] + radius);
    }
    const std::size_t wanted = largest ? size : 1;
    for (double middle = low + (high - low) / 2; low < middle && middle < high;
         middle = low + (high - low) / 2)
      (count_below(middle) >= wanted ? high : low) = middle;
    return largest ? low : high;
  }

 private:
  // Returns the number of eigenvalues below x, as the number of negative pivots (Sturm).
  std::size_t count_below(double x) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      const double square = i > 0 ? off_[i - 1] * off_[i - 1] : 0;
      if (pivot == 0) pivot = 1e-300;
      pivot = diagonal_[i] - x - square / pivot;
      count += pivot < 0 ? 1U : 0U;
    }
    return count;
  }

  static double norm(const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  }
  static void scale(std::vector<double>& v, double factor) {
    for (double& value : v) value *= factor;
  }
  static void remove_mean(std::vector<double>& v) {
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    for (double& value : v) value -= mean;
  }

  const Graph& graph_;
  std::vector<double> now_, before_, next_;
  std::vector<double> diagonal_, off_;
  double last_ = 0;  ///< last entry off the diagonal
};

}  // namespace

Spectrum spectrum_of(const Graph& graph) {
  const auto form = graph.closed_form();
  if (!form) return spectrum_by_lanczos(graph);
  const auto& [c, range] = *form;
  return spectrum_from(c * range.least, 1 - c * range.most);
}

Spectrum spectrum_by_lanczos(const Graph& graph) {
  constexpr std::size_t most_steps = std::size_t{1} << 16U;
  LanczosMatrix matrix(graph);
  double second = 0, least = 0;
  bool is_settled = false;
  for (std::size_t size = 16; size <= most_steps && !is_settled; size *= 2) {
    const bool is_exhausted = !matrix.grow(size);
    const double largest = matrix.extreme(true), smallest = matrix.extreme(false);
    const auto agree = [](double a, double b, double share) {
      return std::abs(a - b) <= std::max(1e-10 * share, 1e-14);
    };
    is_settled = is_exhausted || (size > 16 && agree(largest, second, 1 - largest) &&
                                  agree(smallest, least, 1 + std::abs(smallest)));
    second = largest;
    least = smallest;
  }
  Spectrum s = spectrum_from(1 - second, least);
  s.is_converged = is_settled;
  return s;
}

}  // namespace trilemma
