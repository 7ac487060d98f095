#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct QdpsgdOptions {
  double rate = 0.1, consensus = 0.3;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of a node");
    r("consensus", consensus, {.low = 0, .high = 1, .low_open = true},
      "e: step size of the average over neighbours; the gradient has the step size e eta");
  }
};

// Q-DPSGD-1 (Ding, Liang, Bi and Pan 2021; QuanTimed-DSGD with noise): z_i = Q(x_i);
// x_i += e (sum_j w_ij z_j - w_ii (z_i - x_i) - x_i - eta y_i).
class Qdpsgd final : public NodeMethod {
 public:
  explicit Qdpsgd(const QdpsgdOptions& options) : options_(options) {}
  std::size_t vectors() const override { return 1; }  // y_i

  void offer(std::size_t, Node& node, View y) const override {
    std::ranges::copy(y, node.vectors[0].begin());
    std::ranges::copy(node.model, y.begin());
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j) {
      const auto x = static_cast<double>(node.model[j]);
      const double others = node.mixed[0][j] - node.own_weight * (node.own[0][j] - x);
      node.model[j] = static_cast<real>(x + options_.consensus *
                                                (others - x - options_.rate * node.vectors[0][j]));
    }
  }

 private:
  QdpsgdOptions options_;
};

Method make_qdpsgd(Settings& experiment) {
  const auto options = read_options<QdpsgdOptions>(experiment.section("gossip"));
  Method m = decentralised_method([options] { return std::make_unique<Qdpsgd>(options); });
  m.compressor = m.default_compressor = "grid";  // its error has an absolute bound
  return m;
}

}  // namespace

Row<MethodMaker> q_dpsgd_method() {
  return method_row<make_qdpsgd>(
      "q-dpsgd-1", "decentralised: dsgd with quantised models and a step size of the average");
}

}  // namespace trilemma
