#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct TrackingOptions {
  double rate = 0.1;
  void read(Reader& r) { r("rate", rate, positive(), "eta: step size of a node"); }
};

// Gradient tracking (Di Lorenzo and Scutari 2016; Nedic, Olshevsky and Shi 2017): v_i = sum_j w_ij
// v_j + y_i - y_i', with the gradient y_i' of the round before; x_i = sum_j w_ij x_j - eta v_i. v_i
// starts at 0, so that the first one is y_i. The mean of all v_i is that of all y_i: sums are taken
// as v_i + (sum_j w_ij q_j - q_i), in which the rounding of the messages q cancels out.
class GradientTracking final : public NodeMethod {
 public:
  explicit GradientTracking(const TrackingOptions& options) : options_(options) {}
  std::size_t vectors() const override { return 3; }  // x_i, v_i, y_i'
  std::size_t channels() const override { return 2; }

  void start(Node& node) const override { std::ranges::copy(node.model, node.vectors[0].begin()); }
  void offer(std::size_t channel, Node& node, View y) const override {
    if (channel == 1) {
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = static_cast<real>(node.vectors[0][j]);
      return;
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& v = node.vectors[1][j];
      double& before = node.vectors[2][j];
      const auto now = static_cast<double>(y[j]);
      y[j] = static_cast<real>(v);
      v += now - before;
      before = now;
    }
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j) {
      double& x = node.vectors[0][j];
      double& v = node.vectors[1][j];
      v += node.mixed[0][j] - node.own[0][j];
      x += node.mixed[1][j] - node.own[1][j] - options_.rate * v;
      node.model[j] = static_cast<real>(x);
    }
  }

 private:
  TrackingOptions options_;
};

Method make_gradient_tracking(Settings& experiment) {
  const auto options = read_options<TrackingOptions>(experiment.section("gossip"));
  Method m =
      decentralised_method([options] { return std::make_unique<GradientTracking>(options); });
  m.compressor = m.default_compressor = "identity";
  return m;
}

}  // namespace

Row<MethodMaker> gradient_tracking_method() {
  return method_row<make_gradient_tracking>(
      "gradient-tracking",
      "decentralised: nodes also average their estimates of the mean gradient");
}

}  // namespace trilemma
