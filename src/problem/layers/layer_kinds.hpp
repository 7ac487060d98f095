#pragma once
// The kinds of layers. Each is made for the shape of its inputs.

#include "problem/kernels/convolution.hpp"
#include "problem/layers/layer.hpp"

namespace trilemma {

/// Returns a fully connected layer of `units` outputs.
std::unique_ptr<Layer> dense_layer(const MapShape& in, std::size_t units,
                                   std::optional<Activation> activation);
/// Whether the maps of a convolution have biases.
enum class ConvolutionBiases { none, one_per_map };
/// Returns a convolution.
std::unique_ptr<Layer> convolution_layer(const MapShape& in, const StridedConvolution& shape,
                                         ConvolutionBiases biases,
                                         std::optional<Activation> activation);
/// Returns a convolution of stride 1 with ReLU and 2 x 2 max pooling.
std::unique_ptr<Layer> pooled_convolution_layer(const MapShape& in, const Convolution& shape);

/// Window of a pooling: `height` x `width` pixels, `stride` apart; pixels that do not fill a window
/// are dropped.
struct PoolingWindow {
  std::size_t height, width, stride;
};
/// Return pooling layers: the largest value of each window, and the mean value.
std::unique_ptr<Layer> max_pooling_layer(const MapShape& in, const PoolingWindow& window,
                                         std::optional<Activation> activation);
std::unique_ptr<Layer> mean_pooling_layer(const MapShape& in, const PoolingWindow& window,
                                          std::optional<Activation> activation);

/// Returns a group normalisation (Wu and He 2018): the values of a record in one of `groups` groups
/// of channels get mean 0 and variance 1, then each channel a scale and a shift of its own.
std::unique_ptr<Layer> group_norm_layer(const MapShape& in, std::size_t groups,
                                        std::optional<Activation> activation);
/// Returns a layer normalisation (Ba, Kiros and Hinton 2016) over the channels of each pixel.
std::unique_ptr<Layer> layer_norm_layer(const MapShape& in, std::optional<Activation> activation);

/// Returns a batch normalisation (Ioffe and Szegedy 2015) of each channel over the pixels of all
/// records of a batch.
std::unique_ptr<Layer> batch_norm_layer(const MapShape& in, std::optional<Activation> activation);

/// Returns the Gaussian error linear unit z Phi(z) (Hendrycks and Gimpel 2016).
std::unique_ptr<Layer> gelu_layer(const MapShape& in);

/// Returns the embedding of a sequence of tokens, which are the features of a record: one vector of
/// `dimension` values for each token, learnt for each of `vocabulary` tokens. A sequence is a map
/// of width 1.
std::unique_ptr<Layer> embedding_layer(std::size_t length, std::size_t vocabulary,
                                       std::size_t dimension, std::optional<Activation> activation);
/// Returns the sum of the inputs and a learnt vector for each position (Gehring et al. 2017).
std::unique_ptr<Layer> positions_layer(const MapShape& in, std::optional<Activation> activation);
/// Returns causal attention (Vaswani et al. 2017) over queries, keys and values, the three thirds
/// of the channels: each pixel takes the mean of the values up to its own, weighted by the softmax
/// of the products of its query and their keys over sqrt(channels of a head).
std::unique_ptr<Layer> attention_layer(const MapShape& in, std::size_t heads);
/// Returns the last pixel.
std::unique_ptr<Layer> last_layer(const MapShape& in, std::optional<Activation> activation);

/// Returns whether values of shape `other` can be added to values of shape `in`.
bool can_be_added(const MapShape& in, const MapShape& other);
/// Returns the end of a residual block: inputs + outputs of an earlier layer of shape `other`. If
/// that has more pixels, every stride-th row and column counts; channels that it lacks are zero,
/// half of them before its own (He, Zhang, Ren and Sun 2016, option A).
std::unique_ptr<Layer> addition_layer(const MapShape& in, const MapShape& other,
                                      std::optional<Activation> activation);
/// Adds the derivatives with respect to the outputs of an addition to those of the other layer.
void add_to_other(const MapShape& in, const MapShape& other, const ConstMatrixView& errors,
                  MatrixView others);

}  // namespace trilemma
