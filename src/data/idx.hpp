#pragma once

#include <string>

#include "data/labels.hpp"

namespace trilemma {

/// A pair of IDX files (images of two to four dimensions, labels; bytes, whole numbers or reals),
/// plain or gzip, that is read in two steps: first the labels, then rows for some of the images
/// only. Refuses, with the file: wrong magic, truncated or trailing data, another number of labels
/// than images, another number of pixels than `features`, labels that are no class.
class IdxPair {
 public:
  /// The first `rows` records; 0 = all.
  IdxPair(std::string images, const std::string& labels, std::size_t features,
          const ClassMap& classes, std::size_t rows);
  /// Everything but the rows.
  const Dataset& records() const { return data_; }
  /// Rows for the chosen ones; empty = all. A census is taken of all, and in `lost` the
  /// numbers are counted that become 0, since they are nearer to it than a `real` can be.
  Dataset read(const std::vector<bool>& chosen, std::size_t* lost = nullptr) const;

 private:
  std::string images_;
  Dataset data_;
};

/// Returns the values of an image, by the header. Refuses the same.
std::size_t idx_features(const std::string& images);

/// Counts the labels of a file. Refuses the same.
LabelCount count_idx_labels(const std::string& labels);

}  // namespace trilemma
