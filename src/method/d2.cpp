#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct D2Options {
  double rate = 0.1, consensus = 0.5;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of a node");
    r("consensus", consensus, {.low = 0, .high = 1, .low_open = true},
      "gamma: nodes average with (1 - gamma) I + gamma W; 1 is for a W whose eigenvalues are above "
      "-1/3");
  }
};

// D2 (Tang, Lian, Yan, Zhang and Liu 2018): half_i = 2 x_i - x_i' - eta (y_i - y_i'), with x_i' and
// y_i' of the round before, in the first round x_i - eta y_i; x_i = half_i + gamma (sum_j w_ij q_j
// - q_i), where the message q_i is half_i and its rounding cancels out in the mean of the nodes.
// Along an eigenvector of (1 - gamma) I + gamma W with the eigenvalue lambda, x_i follows the roots
// of r^2 - 2 lambda r + lambda, which are inside the unit circle for lambda > -1/3.
class D2 final : public NodeMethod {
 public:
  explicit D2(const D2Options& options) : options_(options) {}
  std::size_t vectors() const override { return 3; }  // x_i, x_i', y_i'; x_i is half_i for a while
  double eigenvalues_above() const override { return 1 - 4 / (3 * options_.consensus); }

  void start(Node& node) const override {
    std::ranges::copy(node.model, node.vectors[0].begin());
    std::ranges::copy(node.model, node.vectors[1].begin());
  }
  void offer(std::size_t, Node& node, View y) const override {
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& x = node.vectors[0][j];
      double& gradient = node.vectors[2][j];
      const auto now = static_cast<double>(y[j]);
      const double half = x + (x - node.vectors[1][j]) - options_.rate * (now - gradient);
      node.vectors[1][j] = x;
      x = half;
      gradient = now;
      y[j] = static_cast<real>(half);
    }
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j) {
      double& x = node.vectors[0][j];
      x += options_.consensus * (node.mixed[0][j] - node.own[0][j]);
      node.model[j] = static_cast<real>(x);
    }
  }

 private:
  D2Options options_;
};

Method make_d2(Settings& experiment) {
  const auto options = read_options<D2Options>(experiment.section("gossip"));
  Method m = decentralised_method([options] { return std::make_unique<D2>(options); });
  m.compressor = m.default_compressor = "identity";
  return m;
}

}  // namespace

Row<MethodMaker> d2_method() {
  return method_row<make_d2>("d2", "decentralised: dsgd without the bias of different data");
}

}  // namespace trilemma
