#include "problem/start_law.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.hpp"

namespace trilemma {
namespace {

// Returns half the width of the interval of the weights, or the standard deviation of normal ones.
double size_of_weights(const StartLayer& layer, StartLaw law) {
  const auto in = layer.is_lookup ? 1.0 : static_cast<double>(layer.fan_in);
  const auto out = static_cast<double>(layer.fan_out);
  if (law == StartLaw::he) return std::sqrt(2 / in);
  return law == StartLaw::glorot ? std::sqrt(6 / (in + out)) : 1 / std::sqrt(in);
}

// Returns whether every row consists of `outputs` equal values.
bool rows_are_constant(ConstView values, std::size_t outputs) {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (values[j] != values[j - j % outputs]) return false;
  return true;
}

// Returns whether the layer above treats all units of this one alike: a block of equal rows for
// each position from which their values come.
bool are_seen_alike(const StartLayer& layer, const StartLayer& above, ConstView x) {
  const auto row = [&](std::size_t r) {
    return x.subspan(above.first + r * above.outputs, above.outputs);
  };
  for (std::size_t r = 0; r < above.fan_in; ++r)
    if (!std::ranges::equal(row(r), row(r - r % layer.outputs))) return false;
  return true;
}

bool is_off(const StartLayer& layer, ConstView x) {
  const auto weights = x.subspan(layer.first, layer.bias() - layer.first);
  const auto biases = x.subspan(layer.bias(), layer.end() - layer.bias());
  return layer.is_rectified && std::ranges::all_of(weights, [](real w) { return w == 0; }) &&
         std::ranges::all_of(biases, [](real b) { return b <= 0; });
}

}  // namespace

const std::vector<std::string>& start_laws() {
  static const std::vector<std::string> names{"normal", "uniform", "zero",  "own",
                                              "he",     "glorot",  "fan-in"};
  return names;
}

const std::string& start_law_name(StartLaw law) {
  return start_laws()[static_cast<std::size_t>(law)];
}

std::vector<double> draw_layers(std::span<const StartLayer> layers, StartLaw law, const Key& key,
                                std::size_t dimension) {
  std::vector<double> x(dimension, 0.0);
  if (law == StartLaw::he) {
    normals(key, 0, x);
  } else {
    Stream stream(key);
    for (double& value : x) value = 2 * stream.uniform() - 1;
  }
  const double size_of_biases = law == StartLaw::fan_in ? 1 : 0;
  std::size_t end = 0;
  for (const StartLayer& layer : layers) {
    expect(layer.first >= end && layer.end() <= dimension, "layers of a start model overlap");
    const double size = size_of_weights(layer, law);
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(end),
              x.begin() + static_cast<std::ptrdiff_t>(layer.first), 0.0);
    for (std::size_t j = layer.first; j < layer.bias(); ++j)
      x[j] = layer.is_scale ? 1 : size * x[j];
    for (std::size_t j = layer.bias(); j < layer.end(); ++j)
      x[j] *= layer.is_scale ? 0 : size * size_of_biases;
    end = layer.end();
  }
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(end), x.end(), 0.0);
  return x;
}

std::string stuck_layer(std::span<const StartLayer> all, ConstView x) {
  std::vector<StartLayer> layers;
  std::ranges::copy_if(all, std::back_inserter(layers),
                       [](const StartLayer& layer) { return !layer.is_scale; });
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    const StartLayer& layer = layers[l];
    if (is_off(layer, x))
      return fmt::format("the units of hidden layer {} start at zero, where ReLU has no derivative",
                         l + 1);
    const ConstView own = x.subspan(layer.first, layer.end() - layer.first);
    if (layer.outputs > 1 && rows_are_constant(own, layer.outputs) &&
        are_seen_alike(layer, layers[l + 1], x))
      return fmt::format("the {} units of hidden layer {} start equal, and so they would stay",
                         layer.outputs, l + 1);
  }
  return {};
}

}  // namespace trilemma
