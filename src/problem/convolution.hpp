#pragma once
// A convolution followed by ReLU and 2 x 2 max pooling, one image at a time.
//
// Images and maps hold the values of a pixel side by side, pixels row by row, so that the pixels
// under one row of the kernel are one run of memory once the image stands in a frame of zeros. What
// comes back through the pooling is 0 but for one place in four at most: the two products of the
// backward pass are sums over the other places only.

#include "core/types.hpp"
#include "problem/matrix.hpp"

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
  /// Pixels after pooling; odd last rows and columns are dropped.
  std::size_t pooled_height() const { return out_height() / 2; }
  std::size_t pooled_width() const { return out_width() / 2; }
  std::size_t pooled() const { return pooled_height() * pooled_width(); }
  std::size_t weights() const { return patch_size() * outputs; }
};

/// The image in a frame of `padding` zeros, with room behind it for kernels that read in full
/// vectors.
void frame(const Convolution& c, ConstView image, Vector& framed);

/// maps (patches() x outputs) = sum over the patch of value * w (patch_size() x outputs), in the
/// order of the patch, + bias.
void convolve(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
              View maps);

/// The gradient of the weights and biases of a layer, summed over images.
class ConvolutionGradient {
 public:
  /// Begins with zeros.
  void clear(const Convolution& c);
  /// Adds patches^T errors and the sum of errors (patches() x outputs) of one image, pixel by
  /// pixel.
  void add(const Convolution& c, ConstView framed, ConstView errors);
  /// to (W as patch_size() x outputs, then the biases) += weight * what was summed up.
  void add_to(const Convolution& c, real weight, View to) const;

 private:
  Vector weights_;  ///< a row per output and row of the kernel
  Vector bias_;
};

/// From errors by the maps to those by the image.
class ConvolutionTranspose {
 public:
  void set_weights(const Convolution& c, const ConstMatrixView& w);
  /// image = sum over pixels and outputs of error * the weights of the output.
  void operator()(const Convolution& c, ConstView errors, View image);

 private:
  Vector weights_;  ///< as in ConvolutionGradient
  Vector framed_;   ///< scratch
};

/// out (pooled() x outputs) = max(0, largest of each 2 x 2 block of `maps` (patches() x outputs)).
void pool(const Convolution& c, ConstView maps, View out);
/// Replaces `maps` by the derivative of the loss by it, from that by the pooled values: each of
/// these belongs to the largest value of its block (the first of equals) if that is above 0.
void unpool(const Convolution& c, ConstView pooled_errors, View maps);

}  // namespace trilemma
