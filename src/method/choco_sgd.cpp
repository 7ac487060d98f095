#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct ChocoOptions {
  double rate = 0.1, consensus = 0.05;
  bool starts_at_zero = false;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of a node");
    r("consensus", consensus, {.low = 0, .high = 1, .low_open = true},
      "gamma: step size of the average over neighbours; smaller for stronger compression");
    r("copies", starts_at_zero,
      {{"start", false, "the start model, which all nodes know"}, {"zero", true, "0"}},
      "what the copies of the models are at the start");
  }
};

// CHOCO-SGD (Koloskova, Stich and Jaggi 2019): half_i = x_i - eta y_i; q_i = C(half_i - h_i);
// h_i += q_i; s_i += sum_j w_ij q_j; x_i = half_i + gamma (s_i - h_i). All holders of the copy h_j
// add the same q_j, so a node stores its own copy and the sum s_i = sum_j w_ij h_j alone. x_i is in
// double: in single precision, its rounding would move the mean of the nodes.
class ChocoSgd final : public NodeMethod {
 public:
  explicit ChocoSgd(const ChocoOptions& options) : options_(options) {}
  std::size_t vectors() const override { return 1; }
  bool keeps_sums() const override { return true; }
  bool compensates() const override { return true; }

  void start(Node& node) const override {
    std::ranges::copy(node.model, node.vectors[0].begin());
    if (options_.starts_at_zero) return;
    std::ranges::copy(node.model, node.own[0].begin());
    std::ranges::copy(node.model, node.mixed[0].begin());  // the rows of W sum to 1
  }
  void offer(std::size_t, Node& node, View y) const override {
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& x = node.vectors[0][j];
      x -= options_.rate * static_cast<double>(y[j]);
      y[j] = static_cast<real>(x - node.own[0][j]);
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
  ChocoOptions options_;
};

Method make_choco_sgd(Settings& experiment) {
  const auto options = read_options<ChocoOptions>(experiment.section("gossip"));
  return decentralised_method([options] { return std::make_unique<ChocoSgd>(options); });
}

}  // namespace

Row<MethodMaker> choco_sgd_method() {
  return method_row<make_choco_sgd>(
      "choco-sgd", "decentralised: dsgd with compressed differences from copies of the models");
}

}  // namespace trilemma
