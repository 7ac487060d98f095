#pragma once

#include <optional>
#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// What the labels of a file stand for.
struct LibsvmLabels {
  int classes = 2;                 ///< different ones; 0 = real targets
  std::vector<double> value = {};  ///< of classes as they stand in a training file, ascending
};

/// Where the indices of features begin, and what was passed over.
struct LibsvmReading {
  /// 0 or 1; empty before the training file is read: 0 if it has an index 0, else 1.
  std::optional<int> first_index = {};
  std::size_t zero_line = 0;  ///< of the first index 0; 0: there is none
  std::size_t queries = 0;    ///< entries `qid:N`, which are ignored
  std::size_t lost = 0;       ///< values nearer to 0 than a `real` can be, which become 0
};

/// Reads LIBSVM text, plain or packed with gzip: `label index:value ...`, indices from 0 or 1,
/// strictly ascending, at most `features` of them. What follows a # is a comment. Blanks at the end
/// of a line and missing features are fine. The smaller of two labels becomes -1, the larger +1;
/// more labels become 0, 1, ... in ascending order. The labels of a training file are put into
/// `labels`, and are then those that a test file may have. Refuses, with file and line: an empty
/// file, index 0 where the first is 1, unsorted, above `features`, values that are not finite
/// numbers, another number of labels.
Dataset read_libsvm(const std::string& file, std::size_t features, LibsvmLabels& labels,
                    LibsvmReading& reading);

/// Returns how many features the largest index of a file takes. Refuses the same but for what
/// `features` says.
std::size_t indexed_features(const std::string& file, LibsvmReading& reading);

}  // namespace trilemma
