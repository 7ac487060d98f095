#pragma once
// Settings of convolutional networks.

#include "problem/low_precision.hpp"
#include "problem/problem.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {

/// Settings of a convolutional network.
struct CnnSettings {
  std::vector<long> channels;
  std::size_t kernel, padding, colours;
  WeightDecay decay;
  LowPrecision low;
};

/// Reads the settings of a convolutional network.
CnnSettings read_cnn(Settings& settings);

/// Returns the side of the images, which are square. Throws UserError if the features are not such
/// an image, or if the layers leave no pixels.
std::size_t image_side(Settings& settings, const CnnSettings& cnn, const DataShape& shape);

}  // namespace trilemma
