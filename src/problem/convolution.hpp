#pragma once
// A convolution followed by ReLU and 2 x 2 max pooling, one image at a time: patches are laid out
// as rows of a matrix, so that the work is in matrix products.

#include "core/types.hpp"

namespace trilemma {

/// Shapes of one such layer. Images are height x width pixels of `inputs` values each, row by row.
struct Convolution {
  std::size_t height, width, inputs;
  std::size_t kernel, padding, outputs;

  std::size_t out_height() const { return height + 2 * padding - kernel + 1; }
  std::size_t out_width() const { return width + 2 * padding - kernel + 1; }
  /// Pixels and values of a patch: the rows and columns of the matrix of patches.
  std::size_t patches() const { return out_height() * out_width(); }
  std::size_t patch_size() const { return kernel * kernel * inputs; }
  /// Pixels after pooling; odd last rows and columns are dropped.
  std::size_t pooled_height() const { return out_height() / 2; }
  std::size_t pooled_width() const { return out_width() / 2; }
  std::size_t pooled() const { return pooled_height() * pooled_width(); }
  std::size_t weights() const { return patch_size() * outputs; }
};

/// Fills `patches` (patches() x patch_size()): row (i, j) holds the pixels under the kernel at
/// (i, j), kernel row by kernel row, 0 beyond the edge.
void gather_patches(const Convolution& c, ConstView image, View patches);
/// The transposed map: adds every value of `patches` to the pixel that it came from.
void scatter_patches(const Convolution& c, ConstView patches, View image);

/// out (pooled() x outputs) = max(0, largest of each 2 x 2 block of `maps` (patches() x outputs)).
void pool(const Convolution& c, ConstView maps, View out);
/// Replaces `maps` by the derivative of the loss by it, from that by the pooled values: each of
/// these belongs to the largest value of its block (the first of equals) if that is above 0.
void unpool(const Convolution& c, ConstView pooled_errors, View maps);

}  // namespace trilemma
