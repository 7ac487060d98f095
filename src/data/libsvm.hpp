#pragma once

#include <optional>
#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Interpretation of the labels of a file.
struct LibsvmLabels {
  int classes = 2;                 ///< number of different labels; 0 = real targets
  std::vector<double> value = {};  ///< labels of the classes in the training file, ascending
};

/// How a file was read: index of the first feature, and ignored content.
struct LibsvmReading {
  /// 0 or 1. Empty before the training file is read; then 0 if it has an index 0, otherwise 1.
  std::optional<int> first_index = {};
  std::size_t zero_line = 0;  ///< line of the first index 0; 0: there is none
  std::size_t queries = 0;    ///< number of entries `qid:N`, which are ignored
  std::size_t lost = 0;       ///< nonzero values that became 0 as `real`
};

/// Reads LIBSVM text, plain or packed with gzip: `label index:value ...`, indices from 0 or 1,
/// strictly ascending, at most `features` of them. Text after a # is a comment. Trailing blanks and
/// missing features are allowed. Of two labels the smaller becomes -1 and the larger +1; more
/// labels become 0, 1, ... in ascending order. The labels of a training file are stored in `labels`
/// and are the only ones allowed in a test file. Refuses, naming file and line: an empty file,
/// index 0 where the first is 1, indices that are unsorted or above `features`, values that are not
/// finite numbers, another number of labels.
Dataset read_libsvm(const std::string& file, std::size_t features, LibsvmLabels& labels,
                    LibsvmReading& reading);

/// Returns the number of features implied by the largest index of a file. Refuses the same, except
/// for `features`.
std::size_t indexed_features(const std::string& file, LibsvmReading& reading);

}  // namespace trilemma
