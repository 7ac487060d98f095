#pragma once
// Settings of convolutional networks.

#include "problem/low_precision.hpp"
#include "problem/problem.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {

/// Settings of a convolutional network.
struct CnnSettings {
  std::vector<long> channels = {32, 64};
  std::size_t kernel = 5, padding = 0, colours = 1;
  WeightDecay decay;
  LowPrecision low;

  void read(Reader& r);
};

/// Returns the side of the images, which are square. Throws UserError if the features are not such
/// an image, or if the layers leave no pixels.
std::size_t image_side(const Settings& settings, const CnnSettings& cnn, const DataShape& shape);

}  // namespace trilemma
