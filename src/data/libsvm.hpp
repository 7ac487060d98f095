#pragma once

#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// What the labels of a file stand for.
struct LibsvmLabels {
  int classes = 2;                 ///< different ones; 0 = real targets
  std::vector<double> value = {};  ///< of classes as they stand in a training file, ascending
};

/// Reads LIBSVM text: `label index:value ...`, indices from 1, strictly ascending, at most
/// `features`. Blanks at the end of a line and missing features are fine. The smaller of two
/// labels becomes -1, the larger +1; more labels become 0, 1, ... in ascending order. The labels of
/// a training file are put into `labels`, and are then those that a test file may have. Refuses,
/// with file and line: an empty file, index 0, unsorted, above `features`, values that are not
/// finite numbers, another number of labels.
Dataset read_libsvm(const std::string& file, std::size_t features, LibsvmLabels& labels);

/// The largest feature index of a file. Refuses the same but for what `features` says.
std::size_t largest_index(const std::string& file);

}  // namespace trilemma
