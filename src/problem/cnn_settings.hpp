#pragma once
// What the keys of a convolutional network say.

#include "problem/low_precision.hpp"
#include "problem/problem.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {

struct CnnSettings {
  std::vector<long> channels;
  std::size_t kernel, padding, colours;
  WeightDecay decay;
  LowPrecision low;
};

CnnSettings read_cnn(Settings& settings);

/// The side of the images, which are square; refuses features that are none, and layers for which
/// no pixels are left.
std::size_t image_side(Settings& settings, const CnnSettings& cnn, const DataShape& shape);

}  // namespace trilemma
