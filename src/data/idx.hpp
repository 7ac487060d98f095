#pragma once

#include <string>

#include "data/source.hpp"

namespace trilemma {

/// A pair of IDX files (images: magic 0x803, labels: magic 0x801; unsigned bytes), plain or gzip,
/// that is read in two steps: first the labels, then rows for some of the images only. Refuses,
/// with the file: wrong magic, truncated or trailing data, another number of labels than images,
/// another number of pixels than `features`, labels from `classes` on.
class IdxPair {
 public:
  /// The first `rows` records; 0 = all.
  IdxPair(std::string images, std::string labels, std::size_t features, int classes,
          std::size_t rows);
  /// Everything but the rows.
  const Dataset& records() const { return data_; }
  /// Rows for the chosen ones; empty = all. A census is taken of all.
  Dataset read(const std::vector<bool>& chosen) const;

 private:
  std::string images_;
  Dataset data_;
};

/// Pixels of an image, by the header, and the largest label plus one. Refuses the same.
FileShape idx_shape(const std::string& images, const std::string& labels);

}  // namespace trilemma
