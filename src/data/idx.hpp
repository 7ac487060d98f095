#pragma once

#include <string>

#include "data/source.hpp"

namespace trilemma {

/// Reads a pair of IDX files (images: magic 0x803, labels: magic 0x801; unsigned bytes), plain or
/// gzip. Refuses, with the file: wrong magic, truncated or trailing data, another number of labels
/// than images, another number of pixels than `features`.
Dataset read_idx(const std::string& images, const std::string& labels, std::size_t features,
                 int classes);

/// Pixels of an image, by the header, and the largest label plus one. Refuses the same.
FileShape idx_shape(const std::string& images, const std::string& labels);

}  // namespace trilemma
