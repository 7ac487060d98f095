// Makes layers from a list of items, for the shape of the values that reach them.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "machine/limits.hpp"
#include "problem/layers/layer_kinds.hpp"
#include "problem/layers/layer_list.hpp"

namespace trilemma {
namespace {

std::optional<Activation> activation_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::relu:
      return Activation::relu;
    case LayerKind::tanh:
      return Activation::tanh;
    case LayerKind::sigmoid:
      return Activation::sigmoid;
    default:
      return {};
  }
}

std::string in_words(const MapShape& shape) {
  return shape.pixels() == 1 ? counted(shape.channels, "value")
                             : fmt::format("{} x {} pixels of {}", shape.height, shape.width,
                                           counted(shape.channels, "value"));
}

class LayerStack {
 public:
  LayerStack(std::span<const LayerItem> items, const MapShape& in, std::size_t classes,
             const RefuseLayers& refuse)
      : items_(items), top_(in), classes_(classes), refuse_(refuse) {}

  std::vector<StackedLayer> build() {
    while (at_ < items_.size()) add(items_[at_]);
    if (!blocks_.empty()) refuse_("\"skip\" without \"add\" after it");
    if (layers_.empty() || top_.size() != classes_)
      refuse_(fmt::format("the last layer gives {}, and there are {} classes; end with \"dense\"",
                          layers_.empty() ? "nothing" : in_words(top_), classes_));
    if (layers_.back().layer->activation() || layers_.back().layer->weights() == 0)
      refuse_(
          "the last layer has no weights, and the scores of classes can be any numbers; end "
          "with \"dense\"");
    return std::move(layers_);
  }

 private:
  // A residual block: the layer after which it begins, and the last one before a shortcut.
  struct Block {
    std::size_t begin;
    std::optional<std::size_t> end = {};
  };

  // Returns whether the items from `from` on have these kinds.
  bool follow(std::size_t from, std::initializer_list<LayerKind> kinds) const {
    if (from + kinds.size() > items_.size()) return false;
    return std::ranges::equal(kinds, items_.subspan(from, kinds.size()), {}, {}, &LayerItem::kind);
  }
  std::size_t number(const LayerItem& item, std::size_t which, std::size_t usual) const {
    return which < item.numbers.size() ? item.numbers[which] : usual;
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    refuse_(fmt::format("layer {}, {}: {}", at_ + 1, shown(items_[at_].text), problem));
    throw std::logic_error("refused layers went on");
  }

  bool is_activation(std::size_t number) const {
    return number < items_.size() && activation_of(items_[number].kind).has_value();
  }

  // Passes the item and, if one follows, an activation, which it returns.
  std::optional<Activation> pass() {
    ++at_;
    if (!is_activation(at_)) return {};
    return activation_of(items_[at_++].kind);
  }
  void push(std::unique_ptr<Layer> layer) {
    top_ = layer->out();
    layers_.push_back({std::move(layer), {}, from_});
    from_.reset();
  }

  void add(const LayerItem& item) {
    switch (item.kind) {
      case LayerKind::conv:
        return add_convolution(item);
      case LayerKind::dense: {
        const std::size_t units = number(item, 0, classes_);
        if (units == 0) refuse("at least one unit");
        return push(dense_layer(top_, units, pass()));
      }
      case LayerKind::relu:
      case LayerKind::tanh:
      case LayerKind::sigmoid:
        return add_activation(item);
      case LayerKind::gelu:
        ++at_;
        return push(gelu_layer(top_));
      case LayerKind::maxpool:
        return add_pooling(item, max_pooling_layer);
      case LayerKind::avgpool:
        return add_pooling(item, mean_pooling_layer);
      case LayerKind::globalpool:
        return push(mean_pooling_layer(top_, {top_.height, top_.width, 1}, pass()));
      case LayerKind::groupnorm: {
        const std::size_t groups = item.numbers[0];
        if (groups == 0 || top_.channels % groups != 0)
          refuse(fmt::format("{} cannot be divided into {} equal groups; choose a divisor",
                             counted(top_.channels, "channel"), groups));
        require_several(top_.size() / groups);
        return push(group_norm_layer(top_, groups, pass()));
      }
      case LayerKind::layernorm:
        require_several(top_.channels);
        return push(layer_norm_layer(top_, pass()));
      case LayerKind::batchnorm:
        return push(batch_norm_layer(top_, pass()));
      case LayerKind::embedding:
        if (at_ > 0) refuse("reads the records, so that it is the first layer");
        if (item.numbers[0] == 0 || item.numbers[1] == 0)
          refuse("vocabulary and dimension are at least 1");
        return push(embedding_layer(top_.size(), item.numbers[0], item.numbers[1], pass()));
      case LayerKind::positions:
        return push(positions_layer(top_, pass()));
      case LayerKind::attention:
        return add_attention(item.numbers[0]);
      case LayerKind::last:
        return push(last_layer(top_, pass()));
      case LayerKind::skip:
        if (layers_.empty() || from_)
          refuse("a residual block starts after a layer, not with the data or a shortcut");
        blocks_.push_back({layers_.size() - 1});
        ++at_;
        return;
      case LayerKind::shortcut:
        return begin_shortcut();
      case LayerKind::add:
        return end_block();
    }
  }

  void add_convolution(const LayerItem& item) {
    const StridedConvolution shape{top_.height,     top_.width,         top_.channels,
                                   item.numbers[1], number(item, 2, 1), number(item, 3, 0),
                                   item.numbers[0]};
    if (shape.outputs == 0 || shape.kernel == 0 || shape.stride == 0)
      refuse("maps, size and stride are at least 1");
    const std::size_t least = std::min(shape.height, shape.width) + 2 * shape.padding;
    if (shape.kernel > least)
      refuse(
          fmt::format("the kernel is larger than its input, {}; choose a smaller one, or more "
                      "padding",
                      in_words(top_)));
    // An activation after the pooling would be a second one in that layer.
    const bool is_pooled = shape.stride == 1 && !is_activation(at_ + 3) && shape.out_height() > 1 &&
                           shape.out_width() > 1 &&
                           follow(at_ + 1, {LayerKind::relu, LayerKind::maxpool}) &&
                           items_[at_ + 2].numbers[0] == 2 && number(items_[at_ + 2], 1, 2) == 2;
    if (is_pooled) {
      at_ += 3;
      return push(pooled_convolution_layer(top_, {shape.height, shape.width, shape.inputs,
                                                  shape.kernel, shape.padding, shape.outputs}));
    }
    const bool is_normalised = at_ + 1 < items_.size() && is_normalisation(items_[at_ + 1].kind);
    const auto biases = is_normalised ? ConvolutionBiases::none : ConvolutionBiases::one_per_map;
    push(convolution_layer(top_, shape, biases, pass()));
  }

  // Queries, keys and values of a pixel are a product with its channels, a convolution of 1 x 1; so
  // are the outputs.
  void add_attention(std::size_t heads) {
    const std::size_t channels = top_.channels;
    if (heads == 0 || channels % heads != 0)
      refuse(fmt::format("{} cannot be divided into {} equal heads; choose a divisor",
                         counted(channels, "channel"), heads));
    const double length = static_cast<double>(top_.pixels());
    require_memory(fmt::format("attention over {} positions", top_.pixels()),
                   2 * length * length * sizeof(real), "shorten the sequences");
    const auto project = [&](std::size_t outputs, std::optional<Activation> activation) {
      const StridedConvolution shape{top_.height, top_.width, top_.channels, 1, 1, 0, outputs};
      push(convolution_layer(top_, shape, ConvolutionBiases::one_per_map, activation));
    };
    project(3 * channels, {});
    push(attention_layer(top_, heads));
    project(channels, pass());
  }

  // An activation that no layer can apply to its outputs: a layer of its own, which passes its
  // inputs on.
  void add_activation(const LayerItem& item) {
    ++at_;
    push(mean_pooling_layer(top_, {1, 1, 1}, activation_of(item.kind)));
  }

  void require_several(std::size_t values) const {
    if (values < 2)
      refuse("a group of one value is always normalised to 0; take fewer groups, or leave it out");
  }

  PoolingWindow window(const LayerItem& item) const {
    const std::size_t size = item.numbers[0];
    const std::size_t stride = number(item, 1, size);
    if (size == 0 || stride == 0) refuse("size and stride are at least 1");
    if (size > top_.height || size > top_.width)
      refuse(fmt::format("the window does not fit into {}", in_words(top_)));
    return {size, size, stride};
  }

  void add_pooling(const LayerItem& item, decltype(max_pooling_layer)* make) {
    const PoolingWindow fitting = window(item);
    push(make(top_, fitting, pass()));
  }

  void begin_shortcut() {
    if (blocks_.empty()) refuse("there is no \"skip\" before it");
    Block& block = blocks_.back();
    if (block.end) refuse("there is one before it in the same block");
    if (block.begin + 1 == layers_.size()) refuse("there is no layer between it and \"skip\"");
    block.end = layers_.size() - 1;
    from_ = block.begin;
    top_ = layers_[block.begin].layer->out();
    ++at_;
  }

  void end_block() {
    if (blocks_.empty()) refuse("there is no \"skip\" before it");
    if (from_) refuse("there is no layer between it and \"shortcut\"");
    const Block block = blocks_.back();
    blocks_.pop_back();
    const std::size_t added = block.end.value_or(block.begin);
    const MapShape& other = layers_[added].layer->out();
    if (block.end && other != top_)
      refuse(fmt::format("{} before \"shortcut\" cannot be added to {}", in_words(other),
                         in_words(top_)));
    if (!can_be_added(top_, other))
      refuse(
          fmt::format("{} at \"skip\" cannot be added to {}: a block may divide the pixels by "
                      "its stride and add channels; convolutions of SIZE x SIZE keep the pixels "
                      "with the padding (SIZE - 1) / 2",
                      in_words(other), in_words(top_)));
    const auto activation = pass();
    layers_.push_back({addition_layer(top_, other, activation), added});
  }

  std::span<const LayerItem> items_;
  MapShape top_;
  std::size_t classes_;
  const RefuseLayers& refuse_;
  std::size_t at_ = 0;
  std::vector<StackedLayer> layers_;
  std::vector<Block> blocks_;        ///< residual blocks that have begun
  std::optional<std::size_t> from_;  ///< feeds the next layer, which begins a shortcut
};

}  // namespace

std::vector<StackedLayer> stacked_layers(std::span<const LayerItem> items, const MapShape& in,
                                         std::size_t classes, const RefuseLayers& refuse) {
  return LayerStack(items, in, classes, refuse).build();
}

}  // namespace trilemma
