#pragma once
// Lists of layers in words: problem.layers = ["conv 6 5", "relu", "maxpool 2", "dense"].

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "problem/layers/layered.hpp"

namespace trilemma {

/// Kind of an item of such a list.
enum class LayerKind {
  conv,
  dense,
  relu,
  tanh,
  sigmoid,
  gelu,
  embedding,
  positions,
  attention,
  last,
  maxpool,
  avgpool,
  globalpool,
  groupnorm,
  layernorm,
  batchnorm,
  skip,
  shortcut,
  add,
};

/// Returns whether layers of this kind give each channel a scale and a shift of its own, so that a
/// bias before it would have no effect.
bool is_normalisation(LayerKind kind);

/// An item: the kind of the layer, and the numbers behind its name.
struct LayerItem {
  LayerKind kind;
  std::vector<std::size_t> numbers;
  std::string text;  ///< as written, for messages
};

/// Throws UserError with a sentence about the list.
using RefuseLayers = std::function<void(const std::string&)>;

/// A kind of layer in the table of kinds.
struct LayerKindRow {
  const char* name;
  LayerKind kind;
  const char* numbers;  ///< names of the numbers; those in brackets may be missing
  std::size_t fewest, most;
  const char* summary;
  const char* also = "";  ///< another name, for suggestions
};
/// Returns the kinds with their numbers and what they compute, for documents and messages.
std::span<const LayerKindRow> layer_kinds();

/// A list that one word stands for.
struct LayerPreset {
  const char* name;
  const char* summary;
  std::vector<std::string> items;
};
std::span<const LayerPreset> layer_presets();
/// Returns their names, separated by commas.
std::string layer_preset_names();

/// Returns the items of a list, with presets replaced by theirs. A text may hold several items,
/// separated by commas. Refuses what is not a layer.
std::vector<LayerItem> layer_items(const std::vector<std::string>& texts,
                                   const RefuseLayers& refuse);
/// Returns the number of layers with weights.
std::size_t weighted_layers(std::span<const LayerItem> items);
/// Returns whether the first layer needs the pixels of an image.
bool begins_with_image(std::span<const LayerItem> items);
/// Returns the layers for inputs of shape `in` and this number of classes. Refuses layers that do
/// not fit.
std::vector<StackedLayer> stacked_layers(std::span<const LayerItem> items, const MapShape& in,
                                         std::size_t classes, const RefuseLayers& refuse);

}  // namespace trilemma
