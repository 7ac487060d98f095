#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct SdmOptions {
  double rate = 0.1, share = 0.1;
  void read(Reader& r) {
    r("rate", rate, positive(), "step size of a node");
    r("share", share, {.low = 0, .high = 1, .low_open = true},
      "theta: share of the way to the new model in a round; diverges where it is too large for the "
      "share of the coordinates that is sent");
  }
};

// SDM-DSGD (Zhang, Fang, Liu and Zhu 2020): q_i = S(theta (sum_j w_ij x_j - x_i - rate y_i));
// x_i += q_i. All models are sums of what was sent: x_i is the node's own copy, and sum_j w_ij x_j
// the sum of the copies.
class SdmDsgd final : public NodeMethod {
 public:
  explicit SdmDsgd(const SdmOptions& options) : options_(options) {}
  bool keeps_sums() const override { return true; }

  void start(Node& node) const override {
    std::ranges::copy(node.model, node.own[0].begin());
    std::ranges::copy(node.model, node.mixed[0].begin());  // the rows of W sum to 1
  }
  void offer(std::size_t, Node& node, View y) const override {
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] = static_cast<real>(options_.share * (node.mixed[0][j] - node.own[0][j] -
                                                 options_.rate * static_cast<double>(y[j])));
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j)
      node.model[j] = static_cast<real>(node.own[0][j]);
  }

 private:
  SdmOptions options_;
};

Method make_sdm_dsgd(Settings& experiment) {
  const auto options = read_options<SdmOptions>(experiment.section("gossip"));
  return decentralised_method([options] { return std::make_unique<SdmDsgd>(options); });
}

}  // namespace

Row<MethodMaker> sdm_dsgd_method() {
  return method_row<make_sdm_dsgd>(
      "sdm-dsgd", "decentralised: sparsified differences of models, without copies of neighbours");
}

}  // namespace trilemma
