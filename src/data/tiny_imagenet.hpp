#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/image_list.hpp"

namespace trilemma {

inline constexpr std::size_t tiny_imagenet_side = 64;
inline constexpr std::size_t tiny_imagenet_features =
    std::size_t{3} * tiny_imagenet_side * tiny_imagenet_side;

/// Tiny ImageNet as it is distributed, a folder or a ZIP archive: `wnids.txt` lists the classes,
/// `train/CLASS/images/` holds the training images of each class, and `val/val_annotations.txt`
/// names the class of each image in `val/images/`. Images are JPEG files of 64 x 64 pixels.
class TinyImageNet {
 public:
  /// Opens it. Refuses what is not Tiny ImageNet, and a repeated class.
  explicit TinyImageNet(const std::string& path);
  /// Returns the number of classes.
  int classes() const { return static_cast<int>(classes_.size()); }

  /// Lists the training images of the first `classes` classes, the first `most` of each (0 = all),
  /// in the order of classes and file names. Refuses a class without images.
  ImageList training(int classes, std::size_t most) const;
  /// Lists the validation images of the first `classes` classes in the same order: those of the
  /// annotations, or, without val/images, those below val/CLASS. Refuses annotations that are no
  /// name of an image and of a class, an image annotated twice, and a class without a folder.
  ImageList validation(int classes) const;

  /// Decodes images as decode_images() does. Refuses, naming the file, what is no JPEG image of 64
  /// x 64 pixels.
  Dataset read(const ImageList& images, const std::vector<bool>& chosen, bool counts_all) const;

 private:
  ImageList sorted_validation(int classes, const std::vector<std::string>& names) const;

  std::unique_ptr<FileTree> tree_;
  std::vector<std::string> classes_;
};

}  // namespace trilemma
