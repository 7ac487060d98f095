#pragma once
// Settings of convolutional networks.

#include "problem/low_precision.hpp"
#include "problem/problem.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {

/// Settings of a convolutional network.
struct CnnSettings {
  std::vector<long> channels = {32, 64};
  std::size_t kernel = 5, padding = 0, colours = 0;
  WeightDecay decay;
  LowPrecision low;

  void read(Reader& r);
};

/// A square image.
struct SquareImage {
  std::size_t side, colours;
};
/// Returns the image that this number of features is, with `colours` planes; 0 = 1 or 3. Empty if
/// there is none.
std::optional<SquareImage> square_image(std::size_t features, std::size_t colours);
/// Returns "3 planes" or, for 0, "1 or 3 planes".
std::string planes_in_words(std::size_t colours);
/// Returns the shape of the images. Throws UserError if the features are not a square image, or if
/// the layers leave no pixels.
SquareImage image_shape(const Settings& settings, const CnnSettings& cnn, const DataShape& shape);

}  // namespace trilemma
