#pragma once
// The setting `data.scaling` of sources of images.

#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/preprocessing.hpp"
#include "settings/reader.hpp"

namespace trilemma {

/// Scaling of images: none, standard or channels, with the stated means and deviations of the
/// latter, one for each colour plane.
struct ImageScaling {
  Scaling kind = Scaling::standard;
  std::vector<double> means, deviations;

  /// Reads `scaling`, `channel_means` and `channel_deviations`. Refuses lists of different lengths
  /// and, if the number of `planes` is known, of another length; 0 = not known.
  void read(Reader& r, std::size_t planes);
  /// Scales training and test images and describes how in `data.scaling`. With channels, the value
  /// of a pixel is (byte / 255 - mean) / deviation of its plane; numbers that are not bytes take
  /// the place of byte / 255. Refuses images that cannot consist of as many planes.
  void apply(TrainTest& data) const;
};

}  // namespace trilemma
