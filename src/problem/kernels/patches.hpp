#pragma once
// Convolutions of any stride as matrix products of patches: the values under the kernel at one
// position, which are a row of a matrix.

#include "base/types.hpp"

namespace trilemma {

/// Shapes of such a convolution. Images have height x width pixels of `inputs` values each.
struct StridedConvolution {
  std::size_t height, width, inputs;
  std::size_t kernel, stride, padding, outputs;

  std::size_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::size_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  std::size_t patches() const { return out_height() * out_width(); }
  std::size_t patch_size() const { return kernel * kernel * inputs; }
  std::size_t weights() const { return patch_size() * outputs; }
};

/// Writes the patches (patches() x patch_size(), by rows of the kernel); values outside of the
/// image are 0.
void gather_patches(const StridedConvolution& c, ConstView image, View patches);
/// Sets each value of the image to the sum of the values of `patches` at its places: the transpose
/// of gather_patches().
void scatter_patches(const StridedConvolution& c, ConstView patches, View image);

}  // namespace trilemma
