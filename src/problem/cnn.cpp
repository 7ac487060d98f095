#include "problem/cnn_settings.hpp"
#include "problem/layers/layer_kinds.hpp"
#include "problem/layers/layered.hpp"

namespace trilemma {
namespace {

// Convolutions with ReLU and 2 x 2 max pooling, then one linear layer. Two convolutions of 5 x 5
// with 32 and 64 maps on 28 x 28 pixels are the 4-layer CNN of LEAF and [PMTL]: d = 115,646 for 62
// classes. With He's law the first outputs are so large that default step sizes can diverge.
std::unique_ptr<Problem> make_cnn(const CnnSettings& s, const Settings& settings,
                                  const DataShape& shape) {
  require_dense_classes(settings, shape);
  if (s.channels.empty())
    settings.refuse("channels",
                    "at least one convolution; for none choose problem.kind = \"softmax\"");
  const auto [side, colours] = image_shape(settings, s, shape);
  Settings(settings).resolve("colours", static_cast<long>(colours));
  LayeredPlan plan{.name = "cnn", .start = StartLaw::glorot, .planes = colours};
  MapShape top{side, side, colours};
  std::string maps;
  for (const long channels : s.channels) {
    plan.layers.push_back(
        {pooled_convolution_layer(top, {top.height, top.width, top.channels, s.kernel, s.padding,
                                        static_cast<std::size_t>(channels)})});
    top = plan.layers.back().layer->out();
    maps += fmt::format("-{}", channels);
  }
  plan.layers.push_back({dense_layer(top, static_cast<std::size_t>(shape.classes), {})});
  plan.description = fmt::format("cnn {}x{}x{}{}-{}, kernel {}", side, side, colours, maps,
                                 shape.classes, s.kernel);
  return make_layered(std::move(plan), shape, s.decay, s.low);
}

}  // namespace

Row<ProblemMaker> cnn_problem() {
  return part_with_settings(
      "cnn", "convolutions with ReLU and max pooling, a linear layer, softmax cross-entropy",
      make_cnn);
}

}  // namespace trilemma
