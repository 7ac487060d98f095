#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/file_tree.hpp"
#include "data/picture.hpp"

namespace trilemma {

/// Images in a folder or an archive, which are not decoded yet.
struct ImageList {
  Dataset records;                 ///< without rows, but with their number of columns
  std::vector<std::string> names;  ///< by record, in the folder or archive
};

/// Returns dense rows of bytes without images.
DenseRows no_images(std::size_t features);

/// Brings a decoded image to the size of the records; `place` names it in messages.
using FitPicture = std::function<Picture(const std::string& place, const Picture& decoded)>;

/// Decodes the images that `chosen` marks (empty = all) one after the other. The census covers all
/// images if `counts_all`, so that all of them are decoded then. Refuses, naming the file, what
/// read_jpeg() and `fit` refuse; images that cannot fit the memory, with the remedy `fewer`.
Dataset decode_images(const FileTree& tree, const ImageList& images,
                      const std::vector<bool>& chosen, bool counts_all, const FitPicture& fit,
                      const std::string& fewer);

}  // namespace trilemma
