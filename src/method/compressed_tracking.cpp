#include <algorithm>

#include "method/decentralised.hpp"

namespace trilemma {
namespace {

// Both messages of a round follow from what was known before it, so that they need not wait for
// each other.
class CompressedTracking final : public NodeMethod {
 public:
  CompressedTracking(const CopyOptions& options, const TrackingForm& form)
      : options_(options), form_(form) {}
  std::size_t vectors() const override { return 3; }   // x_i, v_i, m_i
  std::size_t channels() const override { return 2; }  // differences of v_i, of x_i
  bool keeps_sums() const override { return true; }
  bool compensates() const override { return true; }

  void start(Node& node) const override {
    std::ranges::copy(node.model, node.vectors[0].begin());
    if (options_.starts_at_zero) return;
    std::ranges::copy(node.model, node.own[1].begin());
    std::ranges::copy(node.model, node.mixed[1].begin());  // the rows of W sum to 1
  }
  void offer(std::size_t channel, Node& node, View y) const override {
    if (channel == 0)
      offer_gradient(node, y);
    else
      offer_model(node, y);
  }
  void combine(Node& node) const override {
    for (std::size_t j = 0; j < node.model.size(); ++j)
      node.model[j] = static_cast<real>(node.vectors[0][j]);
  }

 private:
  void offer_gradient(Node& node, View y) const {
    const double fresh = node.round == 0 ? 1 : form_.fresh;
    const bool sends = node.round > 0 || !form_.hides_first;
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& v = node.vectors[1][j];
      double& m = node.vectors[2][j];
      const double change = fresh * (static_cast<double>(y[j]) - m);
      v += pull(0, node, j) + change;
      m += change;
      y[j] = sends ? static_cast<real>(v - node.own[0][j]) : real{0};
    }
  }
  void offer_model(Node& node, View y) const {
    for (std::size_t j = 0; j < y.size(); ++j) {
      double& x = node.vectors[0][j];
      x += pull(1, node, j) - options_.rate * node.vectors[1][j];
      y[j] = static_cast<real>(x - node.own[1][j]);
    }
  }
  double pull(std::size_t channel, const Node& node, std::size_t j) const {
    return options_.consensus * (node.mixed[channel][j] - node.own[channel][j]);
  }

  CopyOptions options_;
  TrackingForm form_;
};

}  // namespace

std::unique_ptr<NodeMethod> make_compressed_tracking(const CopyOptions& options,
                                                     const TrackingForm& form) {
  return std::make_unique<CompressedTracking>(options, form);
}

}  // namespace trilemma
