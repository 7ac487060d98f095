#pragma once
// A convolution followed by ReLU and 2 x 2 max pooling, one image at a time.
//
// Images and maps store the values of a pixel contiguously, and pixels row by row, so that the
// pixels under one row of the kernel are contiguous once the image is padded with a frame of zeros.
// In the backward pass, only one of the four positions of a pooling cell has a nonzero error: it is
// stored as one error and its position, and both products of the backward pass sum over nonzero
// errors.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Shapes of one such layer. Images have height x width pixels of `inputs` values each, row by row.
struct Convolution {
  std::size_t height, width, inputs;
  std::size_t kernel, padding, outputs;

  std::size_t out_height() const { return height + 2 * padding - kernel + 1; }
  std::size_t out_width() const { return width + 2 * padding - kernel + 1; }
  /// Number of pixels of the maps; patch_size() is the number of values under the kernel at one of
  /// them, kernel row by kernel row.
  std::size_t patches() const { return out_height() * out_width(); }
  std::size_t patch_size() const { return kernel * run(); }
  /// Number of values under one row of the kernel.
  std::size_t run() const { return kernel * inputs; }
  /// Number of values in a row of the framed image.
  std::size_t framed_row() const { return (width + 2 * padding) * inputs; }
  std::size_t framed_rows() const { return height + 2 * padding; }
  /// Number of values of the framed image, with room behind it for kernels that access whole
  /// vectors.
  std::size_t framed_size() const { return framed_rows() * framed_row() + 64 / sizeof(real); }
  /// Size after pooling in pixels; odd last rows and columns are dropped.
  std::size_t pooled_height() const { return out_height() / 2; }
  std::size_t pooled_width() const { return out_width() / 2; }
  std::size_t pooled() const { return pooled_height() * pooled_width(); }
  std::size_t weights() const { return patch_size() * outputs; }
  /// Returns the position in the framed image of the first value under the kernel at position 0 of
  /// this pooling cell; steps() returns its offsets at positions 0 to 3 (row by row).
  std::size_t first_under(std::size_t cell) const {
    return 2 * (cell / pooled_width() * framed_row() + cell % pooled_width() * inputs);
  }
  std::array<std::size_t, 4> steps() const {
    return {0, inputs, framed_row(), framed_row() + inputs};
  }
};

/// Derivatives of the loss with respect to the values taken by the pooling, pooled() x outputs, and
/// the position (0, 1, 2 or 3: row by row) from which each was taken.
struct PooledErrors {
  ConstView errors, places;
};

/// Writes the image in a frame of `padding` zeros, with room behind it for kernels that read whole
/// vectors.
void frame(const Convolution& c, ConstView image, Vector& framed);

/// Sets maps (patches() x outputs) to the sum over the patch of value * w (patch_size() x outputs),
/// in the order of the patch, plus bias.
void convolve(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
              View maps);

/// A nonzero error, and the position in the framed image of the first value under the kernel there.
struct PlacedError {
  std::uint32_t first;
  real error;
};

/// The nonzero errors of one image, ordered by output, then by cell.
class ErrorsByOutput {
 public:
  /// Replaces the stored errors by those of an image.
  void sort(const Convolution& c, const PooledErrors& in);
  /// Returns the errors of one output; valid until the next call of sort().
  std::span<const PlacedError> of(std::size_t output) const {
    return {errors_.data() + output * room_, ends_[output]};
  }

 private:
  std::size_t room_ = 0;  ///< for each output
  std::vector<PlacedError> errors_;
  std::vector<PlacedError*> ends_;
};

/// Gradient of the weights and biases of a layer, summed over images.
class ConvolutionGradient {
 public:
  /// Resets the sums to zero.
  void clear(const Convolution& c);
  /// Adds patches^T errors and the sum of the errors of one image, cell by cell.
  void add(const Convolution& c, ConstView framed, const PooledErrors& in);
  /// Adds weight * the sums to `to` (W as patch_size() x outputs, then the biases).
  void add_to(const Convolution& c, real weight, View to) const;

 private:
  Vector weights_;  ///< one row per output and row of the kernel
  Vector bias_;
  ErrorsByOutput errors_;  ///< scratch
};

/// Computes the errors with respect to the image from those with respect to the maps.
class ConvolutionTranspose {
 public:
  /// Sets the weights, as in convolve(); must be called before the operator.
  void set_weights(const Convolution& c, const ConstMatrixView& w);
  /// Sets image to the sum over cells, positions and outputs of error * the weights of the output.
  void operator()(const Convolution& c, const PooledErrors& in, View image);

 private:
  Vector weights_;  ///< as in ConvolutionGradient
  Vector framed_;   ///< scratch
};

/// Sets pooled (pooled() x outputs) to max(0, largest value of each 2 x 2 cell of `maps` (patches()
/// x outputs)), and places to the position of that largest value, the first of equal ones.
void pool(const Convolution& c, ConstView maps, View pooled, View places);
/// Backpropagates through the ReLU: sets errors = pooled > 0 ? pooled_errors : 0.
void pass_positive(ConstView pooled, ConstView pooled_errors, View errors);

/// Shapes of a convolution of any stride, which is a matrix product of patches: the values under
/// the kernel at one position, which are a row of a matrix. Images have height x width pixels of
/// `inputs` values each.
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
