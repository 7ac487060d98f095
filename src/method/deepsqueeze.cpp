#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct DeepSqueezeOptions {
  double rate = 0.1, consensus = 0.05;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of a node");
    r("consensus", consensus, {.low = 0, .high = 1, .low_open = true},
      "gamma: step size of the average over neighbours; smaller for stronger compression");
  }
};

// DeepSqueeze (Tang et al. 2019): half_i = x_i - eta y_i; q_i = C(half_i + e_i); e_i = half_i + e_i
// - q_i; x_i = half_i + gamma (sum_j w_ij q_j - q_i).
class DeepSqueeze final : public NodeMethod {
 public:
  explicit DeepSqueeze(const DeepSqueezeOptions& options) : options_(options) {}
  std::size_t vectors() const override { return 2; }  // x_i, e_i
  bool compensates() const override { return true; }

  void start(Node& node) const override { std::ranges::copy(node.model, node.vectors[0].begin()); }
  void offer(std::size_t, Node& node, View y) const override {
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& x = node.vectors[0][j];
      double& error = node.vectors[1][j];
      x -= options_.rate * static_cast<double>(y[j]);
      error += x;
      y[j] = static_cast<real>(error);
    }
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j) {
      double& x = node.vectors[0][j];
      node.vectors[1][j] -= node.own[0][j];
      x += options_.consensus * (node.mixed[0][j] - node.own[0][j]);
      node.model[j] = static_cast<real>(x);
    }
  }

 private:
  DeepSqueezeOptions options_;
};

Method make_deepsqueeze(Settings& experiment) {
  const auto options = read_options<DeepSqueezeOptions>(experiment.section("gossip"));
  return decentralised_method([options] { return std::make_unique<DeepSqueeze>(options); });
}

}  // namespace

Row<MethodMaker> deepsqueeze_method() {
  return method_row<make_deepsqueeze>(
      "deepsqueeze", "decentralised: dsgd with compressed models and error compensation");
}

}  // namespace trilemma
