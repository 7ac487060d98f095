#include "problem/kernels/convolution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/convolution.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;
constexpr std::size_t lane_width = HWY_MAX_BYTES / sizeof(real);

// Numbers of pixels, and of vectors of outputs, whose sums stay in registers: eight independent
// sums hide the latency of four cycles at two multiply-adds per cycle.
constexpr std::size_t most_pixels = 4;
constexpr std::size_t most_groups = 2;

// The weights and biases, and their inputs: `framed` points to the values under the kernel at the
// first pixel.
struct Block {
  const real* framed;
  const real* weights;
  std::size_t stride;
  const real* bias;
};

template <std::size_t pixels, std::size_t groups>
HWY_INLINE void block(const Convolution& c, const Block& in, real* out) {
  const Registers registers;
  Register part[pixels][groups];
  for (auto& pixel : part)
    for (auto& group : pixel) group = hn::Zero(registers);
  const real* w = in.weights;
  for (std::size_t k = 0; k < c.kernel; ++k) {
    const real* const row = in.framed + k * c.framed_row();
    for (std::size_t t = 0; t < c.run(); ++t, w += in.stride) {
      Register weight[groups];
      for (std::size_t g = 0; g < groups; ++g) weight[g] = hn::LoadU(registers, w + g * lane_width);
      for (std::size_t p = 0; p < pixels; ++p) {
        const Register value = hn::Set(registers, row[p * c.inputs + t]);
        for (std::size_t g = 0; g < groups; ++g)
          part[p][g] = hn::MulAdd(value, weight[g], part[p][g]);
      }
    }
  }
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t g = 0; g < groups; ++g)
      hn::StoreU(hn::Add(part[p][g], hn::LoadU(registers, in.bias + g * lane_width)), registers,
                 out + p * c.outputs + g * lane_width);
}

// Computes one row of the maps. A block that would exceed the row starts earlier and writes some
// values twice.
template <std::size_t pixels, std::size_t groups>
void row_of_blocks(const Convolution& c, const Block& in, real* out) {
  for (std::size_t j = 0; j < c.out_width(); j += pixels) {
    const std::size_t first = std::min(j, c.out_width() - pixels);
    Block here = in;
    here.framed += first * c.inputs;
    block<pixels, groups>(c, here, out + first * c.outputs);
  }
}

template <std::size_t groups>
void columns(const Convolution& c, Block in, real* out) {
  for (std::size_t i = 0; i < c.out_height(); ++i) {
    if (c.out_width() < most_pixels)
      row_of_blocks<1, groups>(c, in, out);
    else
      row_of_blocks<most_pixels, groups>(c, in, out);
    in.framed += c.framed_row();
    out += c.out_width() * c.outputs;
  }
}

// Handles outputs that do not fill a vector, padded with zeros.
void rest(const Convolution& c, const Block& in, std::size_t width, real* out) {
  static thread_local Vector weights;
  static thread_local Vector maps;
  std::array<real, lane_width> bias{};
  std::copy_n(in.bias, width, bias.begin());
  weights.assign(c.patch_size() * lane_width, real{0});
  for (std::size_t k = 0; k < c.patch_size(); ++k)
    std::copy_n(in.weights + k * in.stride, width, weights.data() + k * lane_width);
  Convolution full = c;
  full.outputs = lane_width;
  maps.resize(c.patches() * lane_width);
  columns<1>(full, {in.framed, weights.data(), lane_width, bias.data()}, maps.data());
  for (std::size_t p = 0; p < c.patches(); ++p)
    std::copy_n(maps.data() + p * lane_width, width, out + p * c.outputs);
}

}  // namespace

void all_columns(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
                 View maps) {
  const auto stride = static_cast<std::size_t>(w.outerStride());
  for (std::size_t o = 0; o < c.outputs;) {
    const Block in{framed.data(), w.data() + o, stride, bias.data() + o};
    const std::size_t left = c.outputs - o;
    if (left >= most_groups * lane_width)
      columns<most_groups>(c, in, maps.data() + o);
    else if (left >= lane_width)
      columns<1>(c, in, maps.data() + o);
    else
      rest(c, in, left, maps.data() + o);
    o += left >= most_groups * lane_width ? most_groups * lane_width : std::min(left, lane_width);
  }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(all_columns);

void frame(const Convolution& c, ConstView image, Vector& framed) {
  framed.assign(c.framed_size(), real{0});
  const std::size_t row = c.width * c.inputs;
  for (std::size_t i = 0; i < c.height; ++i)
    std::copy_n(image.data() + i * row, row,
                framed.data() + (i + c.padding) * c.framed_row() + c.padding * c.inputs);
}

void convolve(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
              View maps) {
  HWY_DYNAMIC_DISPATCH(all_columns)(c, framed, w, bias, maps);
}

}  // namespace trilemma
#endif
