// Networks from a list of layers (problem.layers).

#include <algorithm>

#include "base/text.hpp"
#include "problem/cnn_settings.hpp"
#include "problem/layers/layer_list.hpp"

namespace trilemma {
namespace {

bool has(const std::vector<LayerItem>& items, LayerKind kind) {
  return std::ranges::find(items, kind, &LayerItem::kind) != items.end();
}

struct LayersOptions {
  std::vector<std::string> layers = {"lenet5"};
  std::size_t colours = 0;
  Augmentation augmentation;
  WeightDecay decay;
  LowPrecision low;
  std::size_t statistics_records = 32;
  std::vector<LayerItem> items;

  void read(Reader& r) {
    r("layers", layers,
      "layers from the data to the classes, for example [\"conv 6 5\", \"relu\", \"maxpool 2\", "
      "\"dense\"] or \"conv 6 5, relu, maxpool 2, dense\", or a preset: " +
          layer_preset_names());
    r("colours", colours, {.low = 0, .high = 99},
      "planes of an image, one after the other in the features of a record; 0 = 1 or 3, whichever "
      "makes the image square");
    r("crop", augmentation.crop, {.low = 0, .high = 99},
      "an image in a local step is shifted by up to this many pixels, at random, as by a random crop "
      "of the image in a black frame");
    r("flip", augmentation.flips,
      "an image in a local step is mirrored, left to right, with probability 1/2");
    decay.read(r);
    items = layer_items(layers, [&](const std::string& why) { r.refuse("layers", why); });
    low.read(r, weighted_layers(items));
    if (!r.when(has(items, LayerKind::batchnorm))) return;
    r("statistics_records", statistics_records, {.low = 2, .high = 512},
      "batchnorm: training records of each client, evenly spaced, whose means and mean squares "
      "normalise test records: averaged over the clients, or for a client's own model its own");
  }
};

// Returns the shape of the images; one vector if the first layer takes one.
MapShape input_shape(const LayersOptions& s, const Settings& settings, const DataShape& shape) {
  if (!begins_with_image(s.items)) return {1, 1, shape.features};
  if (const auto image = square_image(shape.features, s.colours))
    return {image->side, image->side, image->colours};
  settings.refuse(
      "colours",
      fmt::format("{} features are not a square image with {}; choose images, another number of "
                  "planes, or a first layer \"dense\"",
                  shape.features, planes_in_words(s.colours)));
}

// Normalisation undoes the large outputs of He's law, with which default step sizes can diverge.
// Attention starts by Glorot's law, as in PyTorch.
StartLaw usual_start_of(const std::vector<LayerItem>& items) {
  const bool is_normalised = std::ranges::any_of(items, is_normalisation, &LayerItem::kind);
  return is_normalised && !has(items, LayerKind::attention) ? StartLaw::he : StartLaw::glorot;
}

std::string description_of(const LayersOptions& s, const MapShape& in) {
  std::string text = in.pixels() == 1
                         ? fmt::format("layers {}", in.channels)
                         : fmt::format("layers {}x{}x{}", in.height, in.width, in.channels);
  for (const std::string& item : s.layers) text += fmt::format(", {}", item);
  if (s.augmentation.crop > 0) text += fmt::format(", crop {}", s.augmentation.crop);
  if (s.augmentation.flips) text += ", flip";
  if (has(s.items, LayerKind::batchnorm))
    text +=
        fmt::format("; scored by means and variances over up to {} training records of each client",
                    s.statistics_records);
  return text;
}

std::unique_ptr<Problem> make_layers(const LayersOptions& s, const Settings& settings,
                                     const DataShape& shape) {
  require_dense_classes(settings, shape);
  const MapShape in = input_shape(s, settings, shape);
  LayeredPlan plan{.name = "layers", .description = description_of(s, in)};
  plan.layers = stacked_layers(s.items, in, static_cast<std::size_t>(shape.classes),
                               [&](const std::string& why) { settings.refuse("layers", why); });
  plan.planes = in.pixels() == 1 ? 1 : in.channels;
  plan.augmentation = s.augmentation;
  plan.side = in.height;
  plan.statistics_records = s.statistics_records;
  if (s.augmentation.is_on() && in.pixels() == 1)
    settings.refuse(s.augmentation.flips ? "flip" : "crop",
                    "changes images, and the first layer takes a vector; leave it out");
  plan.start = usual_start_of(s.items);
  if (plan.layers.size() == 1) plan.start = StartLaw::zero;
  return make_layered(std::move(plan), shape, s.decay, s.low);
}

}  // namespace

Row<ProblemMaker> layers_problem() {
  return part_with_settings(
      "layers", "a network of listed layers, softmax cross-entropy, on dense rows", make_layers);
}

}  // namespace trilemma
