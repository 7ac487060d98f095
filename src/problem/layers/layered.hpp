#pragma once
// A classifier made of layers: what all networks of the table of problems are.

#include "problem/deep_classifier.hpp"
#include "problem/layers/augmentation.hpp"
#include "problem/layers/layer.hpp"

namespace trilemma {

/// A layer on top of others.
struct StackedLayer {
  std::unique_ptr<Layer> layer;
  /// Number of the earlier layer whose outputs an addition adds to those of the layer below.
  std::optional<std::size_t> other = {};
  /// Number of the earlier layer that feeds it; empty: the layer before it in the list.
  std::optional<std::size_t> from = {};
};

/// What a network consists of.
struct LayeredPlan {
  std::string name;              ///< problem.kind
  std::string description = {};  ///< the layers in words
  StartLaw start = StartLaw::glorot;
  /// Planes of the images in the data, which the first layer needs pixel by pixel; 1 if the order
  /// of the features is that of the inputs.
  std::size_t planes = 1;
  Augmentation augmentation = {};
  std::size_t side = 0;                ///< of the images, for their augmentation
  std::size_t statistics_records = 0;  ///< of a client, for the scores of batch normalisation
  std::vector<StackedLayer> layers =
      {};  ///< the last one has one output per class, and no activation
};

/// loss = softmax cross-entropy of the last layer's outputs + l2/2 |x|^2. x holds the parameters of
/// one layer after the other. Factors of a record: for each layer the derivatives of the loss with
/// respect to its outputs before the activation, its outputs, and what it keeps.
std::unique_ptr<Problem> make_layered(LayeredPlan plan, const DataShape& shape, WeightDecay decay,
                                      LowPrecision low);

}  // namespace trilemma
