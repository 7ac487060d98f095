#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct ChocoOptions : CopyOptions {
  bool averages_first = false;
  void read(Reader& r) {
    CopyOptions::read(r);
    r("order", averages_first,
      {{"adapt-then-combine", false, "a node averages models that have taken their steps"},
       {"combine-then-adapt", true,
        "a node averages models and then takes its step: the late form of the authors' program"}},
      "order of the step and the average");
  }
};

// CHOCO-SGD (Koloskova, Stich and Jaggi 2019): half_i = x_i - eta y_i; q_i = C(half_i - h_i);
// h_i += q_i; s_i += sum_j w_ij q_j; x_i = half_i + gamma (s_i - h_i). In the late form, half_i =
// x_i - eta y_i + gamma (s_i - h_i), with the sums of the round before, becomes x_i. All holders of
// the copy h_j add the same q_j, so a node stores its own copy and the sum s_i = sum_j w_ij h_j
// alone. x_i is in double: in single precision, its rounding would move the mean of the nodes.
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
      if (options_.averages_first) x += pull(node, j);
      y[j] = static_cast<real>(x - node.own[0][j]);
    }
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j) {
      double& x = node.vectors[0][j];
      if (!options_.averages_first) x += pull(node, j);
      node.model[j] = static_cast<real>(x);
    }
  }

 private:
  double pull(const Node& node, std::size_t j) const {
    return options_.consensus * (node.mixed[0][j] - node.own[0][j]);
  }

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
