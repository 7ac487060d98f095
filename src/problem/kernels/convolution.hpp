#pragma once
// A convolution followed by ReLU and 2 x 2 max pooling, one image at a time.
//
// Images and maps hold the values of a pixel side by side, pixels row by row, so that the pixels
// under one row of the kernel are one run of memory once the image stands in a frame of zeros. What
// comes back through the pooling belongs to one of the four places of a cell and is 0 at the
// others: it is kept as one error and its place, and the two products of the backward pass are sums
// over errors that are not 0.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "problem/kernels/matrix.hpp"

namespace trilemma {

/// Shapes of one such layer. Images are height x width pixels of `inputs` values each, row by row.
struct Convolution {
  std::size_t height, width, inputs;
  std::size_t kernel, padding, outputs;

  std::size_t out_height() const { return height + 2 * padding - kernel + 1; }
  std::size_t out_width() const { return width + 2 * padding - kernel + 1; }
  /// Pixels of the maps, and values under the kernel at one of them: kernel row by kernel row.
  std::size_t patches() const { return out_height() * out_width(); }
  std::size_t patch_size() const { return kernel * run(); }
  /// Values under one row of the kernel.
  std::size_t run() const { return kernel * inputs; }
  /// Values of a row of the framed image.
  std::size_t framed_row() const { return (width + 2 * padding) * inputs; }
  std::size_t framed_rows() const { return height + 2 * padding; }
  /// All of it, with room behind for kernels, which touch values up to the end of a vector.
  std::size_t framed_size() const { return framed_rows() * framed_row() + 64 / sizeof(real); }
  /// Pixels after pooling; odd last rows and columns are dropped.
  std::size_t pooled_height() const { return out_height() / 2; }
  std::size_t pooled_width() const { return out_width() / 2; }
  std::size_t pooled() const { return pooled_height() * pooled_width(); }
  std::size_t weights() const { return patch_size() * outputs; }
  /// The first value of the framed image that lies under the kernel at place 0 of this cell of the
  /// pooling, and how far on it is at the places 0 to 3 (row by row).
  std::size_t first_under(std::size_t cell) const {
    return 2 * (cell / pooled_width() * framed_row() + cell % pooled_width() * inputs);
  }
  std::array<std::size_t, 4> steps() const {
    return {0, inputs, framed_row(), framed_row() + inputs};
  }
};

/// The derivative of the loss by what the pooling has taken, pooled() x outputs, and the place (0,
/// 1, 2 or 3: row by row) from which it took it.
struct PooledErrors {
  ConstView errors, places;
};

/// The image in a frame of `padding` zeros, with room behind it for kernels that read in full
/// vectors.
void frame(const Convolution& c, ConstView image, Vector& framed);

/// maps (patches() x outputs) = sum over the patch of value * w (patch_size() x outputs), in the
/// order of the patch, + bias.
void convolve(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
              View maps);

/// An error that is not 0, and the first value of the framed image under the kernel there.
struct PlacedError {
  std::uint32_t first;
  real error;
};

/// The errors of one image that are not 0, output by output, cell by cell.
class ErrorsByOutput {
 public:
  /// Takes the errors of an image in the place of those before.
  void sort(const Convolution& c, const PooledErrors& in);
  /// Those of one output; valid until the next call of sort().
  std::span<const PlacedError> of(std::size_t output) const {
    return {errors_.data() + output * room_, ends_[output]};
  }

 private:
  std::size_t room_ = 0;  ///< for each output
  std::vector<PlacedError> errors_;
  std::vector<PlacedError*> ends_;
};

/// The gradient of the weights and biases of a layer, summed over images.
class ConvolutionGradient {
 public:
  /// Begins with zeros.
  void clear(const Convolution& c);
  /// Adds patches^T errors and the sum of errors of one image, cell by cell.
  void add(const Convolution& c, ConstView framed, const PooledErrors& in);
  /// to (W as patch_size() x outputs, then the biases) += weight * what was summed up.
  void add_to(const Convolution& c, real weight, View to) const;

 private:
  Vector weights_;  ///< a row per output and row of the kernel
  Vector bias_;
  ErrorsByOutput errors_;  ///< scratch
};

/// From errors by the maps to those by the image.
class ConvolutionTranspose {
 public:
  /// Weights as in convolve(); to be called before the operator.
  void set_weights(const Convolution& c, const ConstMatrixView& w);
  /// image = sum over cells, places and outputs of error * the weights of the output.
  void operator()(const Convolution& c, const PooledErrors& in, View image);

 private:
  Vector weights_;  ///< as in ConvolutionGradient
  Vector framed_;   ///< scratch
};

/// pooled (pooled() x outputs) = max(0, largest of each 2 x 2 cell of `maps` (patches() x
/// outputs)), places = where that largest stands, the first of equals.
void pool(const Convolution& c, ConstView maps, View pooled, View places);
/// Through the ReLU: errors = pooled > 0 ? pooled_errors : 0.
void pass_positive(ConstView pooled, ConstView pooled_errors, View errors);

}  // namespace trilemma
