#pragma once

#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Labels of the two classes as they stand in a file, e.g. {-1, 1}, {0, 1}, {1, 2}.
struct ClassPair {
  double low;
  double high;
};

/// Reads LIBSVM text: `label index:value ...`, indices from 1, strictly ascending, at most
/// `features`. Blanks at the end of a line and missing features are fine. The smaller of the two
/// labels becomes -1, the larger +1; `classes` (of a training file) fixes which is which for a test
/// file. Refuses, with file and line: an empty file, index 0, unsorted, above `features`, values
/// that are not finite numbers, more than two labels.
Dataset read_libsvm(const std::string& file, std::size_t features,
                    const ClassPair* classes = nullptr, ClassPair* found = nullptr);

/// The largest feature index of a file. Refuses the same but for what `features` says.
std::size_t largest_index(const std::string& file);

}  // namespace trilemma
