#include "problem/layers/layer_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace trilemma {
namespace {

// The items of a ResNet for small images (He, Zhang, Ren and Sun 2016, section 4.2): `blocks`
// residual blocks for each of 16, 32 and 64 channels, with the normalisation `norm`.
std::vector<std::string> small_resnet(int blocks, const std::string& norm) {
  std::vector<std::string> items{"conv 16 3 1 1", norm, "relu"};
  for (const int channels : {16, 32, 64})
    for (int block = 0; block < blocks; ++block) {
      const int stride = channels > 16 && block == 0 ? 2 : 1;
      for (const std::string& item :
           {std::string("skip"), fmt::format("conv {} 3 {} 1", channels, stride), norm,
            std::string("relu"), fmt::format("conv {} 3 1 1", channels), norm, std::string("add"),
            std::string("relu")})
        items.push_back(item);
    }
  items.insert(items.end(), {"globalpool", "dense"});
  return items;
}

// The items of ResNet-18 (He, Zhang, Ren and Sun 2016) for small images: a first convolution of
// 3 x 3 without pooling, and the normalisation `norm`. Where a block has other channels or pixels
// at its end, a convolution of 1 x 1 makes the shortcut.
std::vector<std::string> resnet18(const std::string& norm) {
  std::vector<std::string> items{"conv 64 3 1 1", norm, "relu"};
  for (const int channels : {64, 128, 256, 512})
    for (const bool is_first : {true, false}) {
      const int stride = channels > 64 && is_first ? 2 : 1;
      items.insert(items.end(), {"skip", fmt::format("conv {} 3 {} 1", channels, stride), norm,
                                 "relu", fmt::format("conv {} 3 1 1", channels), norm});
      if (stride > 1)
        items.insert(items.end(), {"shortcut", fmt::format("conv {} 1 2", channels), norm});
      items.insert(items.end(), {"add", "relu"});
    }
  items.insert(items.end(), {"globalpool", "dense"});
  return items;
}

// The items of a causal transformer (Vaswani et al. 2017) that classifies texts of bytes, with
// normalisation before each part (Xiong et al. 2020).
std::vector<std::string> tiny_transformer(int blocks) {
  std::vector<std::string> items{"embedding 256 64", "positions"};
  for (int block = 0; block < blocks; ++block)
    items.insert(items.end(), {"skip", "layernorm", "attention 4", "add", "skip", "layernorm",
                               "conv 256 1", "gelu", "conv 64 1", "add"});
  items.insert(items.end(), {"last", "layernorm", "dense"});
  return items;
}

std::string form_of(const LayerKindRow& row) {
  return *row.numbers == 0 ? row.name : fmt::format("{} {}", row.name, row.numbers);
}

// Returns why a word is not a layer.
std::string no_layer(const std::string& word) {
  if (word == "dropout") return "there is no dropout; leave it out";
  if (word == "flatten") return "dense takes images as they are; leave flatten out";
  for (const LayerKindRow& row : layer_kinds())
    if (*row.also != 0 && word == row.also)
      return fmt::format("{} is not a layer; did you mean {}?", shown(word), row.name);
  if (word == "softmax") return "the loss applies the softmax; leave it out";
  std::vector<std::string> names;
  for (const LayerKindRow& row : layer_kinds()) names.emplace_back(row.name);
  for (const LayerPreset& preset : layer_presets()) names.emplace_back(preset.name);
  return fmt::format("{} is not a layer; {}", shown(word),
                     did_you_mean(word, names, fmt::format("choose one of {}", join(names))));
}

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + separator) {
    if (c != separator) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

LayerItem item_of(const std::string& text, const RefuseLayers& refuse) {
  const auto words = words_of(text, ' ');
  if (words.empty()) refuse("there is an empty item; leave it out");
  const auto row = std::ranges::find_if(
      layer_kinds(), [&](const LayerKindRow& one) { return words[0] == one.name; });
  if (row == layer_kinds().end()) refuse(no_layer(words[0]));
  LayerItem item{row->kind, {}, text};
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::size_t number = 0;
    const char* const end = words[w].data() + words[w].size();
    const auto read = std::from_chars(words[w].data(), end, number);
    constexpr std::size_t most = 1'000'000;
    if (read.ec != std::errc() || read.ptr != end || number > most)
      refuse(fmt::format(
          "{}: {} is not a whole number from 0 to 1e6; give items as [\"conv 8 3\", \"relu\"]",
          shown(text), shown(words[w])));
    item.numbers.push_back(number);
  }
  if (item.numbers.size() < row->fewest || item.numbers.size() > row->most)
    refuse(fmt::format("{}: expected \"{}\"", shown(text), form_of(*row)));
  return item;
}

}  // namespace

bool is_normalisation(LayerKind kind) {
  return kind == LayerKind::groupnorm || kind == LayerKind::layernorm ||
         kind == LayerKind::batchnorm;
}

std::span<const LayerKindRow> layer_kinds() {
  static const LayerKindRow table[] = {
      {"conv", LayerKind::conv, "MAPS SIZE [STRIDE [PADDING]]", 2, 4,
       "convolution with kernels of SIZE x SIZE pixels; stride 1 and padding 0 unless given. It has "
       "no biases if a normalisation follows"},
      {"dense", LayerKind::dense, "[UNITS]", 0, 1,
       "fully connected; without a number one unit per class", "linear"},
      {"relu", LayerKind::relu, "", 0, 0, "max(z, 0)"},
      {"tanh", LayerKind::tanh, "", 0, 0, "hyperbolic tangent"},
      {"sigmoid", LayerKind::sigmoid, "", 0, 0, "1 / (1 + exp(-z))"},
      {"gelu", LayerKind::gelu, "", 0, 0, "z Phi(z), Phi the normal distribution function"},
      {"maxpool", LayerKind::maxpool, "SIZE [STRIDE]", 1, 2,
       "largest value of SIZE x SIZE pixels; the stride is SIZE unless given"},
      {"avgpool", LayerKind::avgpool, "SIZE [STRIDE]", 1, 2, "mean value of SIZE x SIZE pixels"},
      {"globalpool", LayerKind::globalpool, "", 0, 0, "mean value of all pixels"},
      {"groupnorm", LayerKind::groupnorm, "GROUPS", 1, 1,
       "group normalisation with a scale and a shift for each channel", "gn"},
      {"layernorm", LayerKind::layernorm, "", 0, 0,
       "layer normalisation over the channels of each pixel", "ln"},
      {"batchnorm", LayerKind::batchnorm, "", 0, 0,
       "batch normalisation with a scale and a shift for each channel; only without privacy", "bn"},
      {"embedding", LayerKind::embedding, "VOCABULARY DIMENSION", 2, 2,
       "first layer: a learnt vector of DIMENSION values for each feature of a record, which is a "
       "token from 0 to VOCABULARY - 1"},
      {"positions", LayerKind::positions, "", 0, 0,
       "adds a learnt number to each value of a record, as position embeddings do"},
      {"attention", LayerKind::attention, "HEADS", 1, 1,
       "causal self-attention between the pixels, row by row, with HEADS heads and biases"},
      {"last", LayerKind::last, "", 0, 0, "values of the last pixel, the end of a sequence"},
      {"skip", LayerKind::skip, "", 0, 0, "beginning of a residual block"},
      {"shortcut", LayerKind::shortcut, "", 0, 0,
       "in a residual block: the layers from here to add see the values at its beginning, and add adds "
       "what they give to what the layers before give"},
      {"add", LayerKind::add, "", 0, 0,
       "end of a residual block: adds the values at its beginning, with fewer pixels and more channels "
       "(zeros) if necessary"},
  };
  return table;
}

std::span<const LayerPreset> layer_presets() {
  static const LayerPreset table[] = {
      {"mlp",
       "two hidden layers of 200 units (McMahan et al. 2017)",
       {"dense 200", "relu", "dense 200", "relu", "dense"}},
      {"lenet5",
       "LeNet with ReLU and max pooling, for 32 x 32 or 28 x 28 pixels",
       {"conv 6 5", "relu", "maxpool 2", "conv 16 5", "relu", "maxpool 2", "dense 120", "relu",
        "dense 84", "relu", "dense"}},
      {"cnn-femnist",
       "the network of LEAF for FEMNIST",
       {"conv 32 5 1 2", "relu", "maxpool 2", "conv 64 5 1 2", "relu", "maxpool 2", "dense 2048",
        "relu", "dense"}},
      {"transformer-tiny",
       "causal transformer for classes of texts, whose features are bytes: 2 blocks, 4 heads, 64 "
       "channels",
       tiny_transformer(2)},
      {"resnet20", "ResNet-20 with group normalisation, for 32 x 32 pixels",
       small_resnet(3, "groupnorm 8")},
      {"resnet20-batchnorm", "ResNet-20 with batch normalisation", small_resnet(3, "batchnorm")},
      {"resnet18",
       "ResNet-18 with group normalisation (Wu and He 2018), for 32 x 32 or 64 x 64 pixels",
       resnet18("groupnorm 32")},
      {"resnet18-batchnorm", "ResNet-18 for small images, with batch normalisation",
       resnet18("batchnorm")},
  };
  return table;
}

std::string layer_preset_names() {
  std::vector<std::string> names;
  for (const LayerPreset& preset : layer_presets()) names.emplace_back(preset.name);
  return join(names);
}

std::vector<LayerWords> layer_words() {
  std::vector<LayerWords> words;
  for (const LayerKindRow& row : layer_kinds())
    words.push_back({row.name, *row.numbers == 0
                                   ? row.summary
                                   : fmt::format("{}: {}", row.numbers, row.summary)});
  for (const LayerPreset& preset : layer_presets()) words.push_back({preset.name, preset.summary});
  return words;
}

std::vector<LayerItem> layer_items(const std::vector<std::string>& texts,
                                   const RefuseLayers& refuse) {
  std::vector<LayerItem> items;
  const auto add = [&](const std::string& text) {
    const auto words = words_of(text, ' ');
    const auto preset = std::ranges::find_if(layer_presets(), [&](const LayerPreset& one) {
      return words.size() == 1 && words[0] == one.name;
    });
    if (preset == layer_presets().end()) return items.push_back(item_of(text, refuse));
    for (const std::string& item : preset->items) items.push_back(item_of(item, refuse));
  };
  for (const std::string& text : texts)
    for (const std::string& item : words_of(text, ',')) add(item);
  return items;
}

std::size_t weighted_layers(std::span<const LayerItem> items) {
  std::size_t count = 0;
  for (const LayerItem& item : items) {
    if (item.kind == LayerKind::conv || item.kind == LayerKind::dense) count += 1;
    if (item.kind == LayerKind::attention) count += 2;  // to queries, keys and values; and back
  }
  return count;
}

bool begins_with_image(std::span<const LayerItem> items) {
  return !items.empty() && items.front().kind != LayerKind::dense &&
         items.front().kind != LayerKind::embedding;
}

}  // namespace trilemma
