#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct DsgdOptions {
  double rate = 0.1;
  bool combines_first = false;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of a node");
    r("order", combines_first,
      {{"adapt-then-combine", false, "a node averages models that have taken their steps"},
       {"combine-then-adapt", true, "a node averages models and then takes its step"}},
      "order of the step and the average");
  }
};

// D-PSGD (Lian et al. 2017): x_i = sum_j w_ij (x_j - eta y_j), or x_i = sum_j w_ij x_j - eta y_i.
// With a complete graph the first is SGD on the mean of the nodes' objectives.
class Dsgd final : public NodeMethod {
 public:
  explicit Dsgd(const DsgdOptions& options) : options_(options) {}
  std::size_t vectors() const override { return options_.combines_first ? 1 : 0; }
  bool hears_itself() const override { return false; }

  void offer(std::size_t, Node& node, View y) const override {
    if (options_.combines_first)
      std::ranges::copy(y, node.vectors[0].begin());
    else
      step(node.model, y, node.model);
    std::ranges::copy(node.model, y.begin());
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j)
      node.model[j] = static_cast<real>(
          node.mixed[0][j] - (options_.combines_first ? options_.rate * node.vectors[0][j] : 0));
  }

 private:
  void step(ConstView x, ConstView y, View out) const {
    for (std::size_t j = 0; j < out.size(); ++j)
      out[j] =
          static_cast<real>(static_cast<double>(x[j]) - options_.rate * static_cast<double>(y[j]));
  }

  DsgdOptions options_;
};

// The noise and the bound are those of ldp-sgd, for each node.
Method make_dsgd(Settings& experiment) {
  const auto options = read_options<DsgdOptions>(experiment.section("gossip"));
  Method m = decentralised_method([options] { return std::make_unique<Dsgd>(options); });
  m.compressor = m.default_compressor = "identity";
  return m;
}

}  // namespace

Row<MethodMaker> dsgd_method() {
  return method_row<make_dsgd>(
      "dsgd", "decentralised: noisy minibatch gradients, models averaged with neighbours");
}

}  // namespace trilemma
