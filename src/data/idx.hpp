#pragma once

#include <string>

#include "data/labels.hpp"

namespace trilemma {

/// A pair of IDX files (images of two to four dimensions, and labels; bytes, integers or reals),
/// plain or gzip, read in two steps: first the labels, then the rows of selected images. Refuses,
/// naming the file: wrong magic, truncated or trailing data, different numbers of labels and
/// images, a number of pixels other than `features`, labels that are not a class.
class IdxPair {
 public:
  /// Reads the labels of the first `rows` records; 0 = all.
  IdxPair(std::string images, const std::string& labels, std::size_t features,
          const ClassMap& classes, std::size_t rows);
  /// Returns the records without rows.
  const Dataset& records() const { return data_; }
  /// Returns the records with rows for the chosen ones; empty = all. The census covers all records;
  /// `lost` counts nonzero numbers that become 0 as `real`.
  Dataset read(const std::vector<bool>& chosen, std::size_t* lost = nullptr) const;

 private:
  std::string images_;
  Dataset data_;
};

/// Returns the number of values of an image, from the header. Refuses the same.
std::size_t idx_features(const std::string& images);

/// Counts the labels of a file. Refuses the same.
LabelCount count_idx_labels(const std::string& labels);

}  // namespace trilemma
