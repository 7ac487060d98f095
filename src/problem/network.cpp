#include <algorithm>

#include "problem/layers/layer_kinds.hpp"
#include "problem/layers/layered.hpp"

namespace trilemma {
namespace {

struct NetworkOptions {
  std::vector<long> hidden = {64};
  Activation activation = Activation::sigmoid;
  WeightDecay decay;
  LowPrecision low;

  void read(Reader& r) {
    r("hidden", hidden, {.low = 1, .high = 1e6},
      "units of the hidden layers: 64, [128, 64] or \"128-64\"; [] for none");
    std::string name = activations()[static_cast<std::size_t>(activation)];
    r("activation", name, activations(), "activation of the hidden layers");
    activation =
        static_cast<Activation>(std::ranges::find(activations(), name) - activations().begin());
    decay.read(r);
    low.read(r, hidden.size() + 1);
  }
};

// He's law was derived for relu, Glorot's for units whose outputs resemble their inputs.
StartLaw usual_start_of(const NetworkOptions& s) {
  if (s.hidden.empty()) return StartLaw::zero;
  return s.activation == Activation::relu ? StartLaw::he : StartLaw::glorot;
}

// Fully connected layers ([SOT] experiments: one hidden sigmoid layer).
std::unique_ptr<Problem> make_network(const NetworkOptions& s, const Settings& settings,
                                      const DataShape& shape) {
  require_dense_classes(settings, shape);
  const auto classes = static_cast<std::size_t>(shape.classes);
  LayeredPlan plan{.name = "network", .start = usual_start_of(s)};
  MapShape top{1, 1, shape.features};
  std::string widths = std::to_string(shape.features);
  for (const long units : s.hidden) {
    plan.layers.push_back({dense_layer(top, static_cast<std::size_t>(units), s.activation)});
    top = plan.layers.back().layer->out();
    widths += fmt::format("-{}", units);
  }
  plan.layers.push_back({dense_layer(top, classes, {})});
  plan.description = fmt::format("network {}-{} {}", widths, classes,
                                 activations()[static_cast<std::size_t>(s.activation)]);
  return make_layered(std::move(plan), shape, s.decay, s.low);
}

}  // namespace

Row<ProblemMaker> network_problem() {
  return part_with_settings(
      "network", "fully connected layers, softmax cross-entropy, on dense rows", make_network);
}

}  // namespace trilemma
