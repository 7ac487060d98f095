#include "problem/kernels/convolution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/convolution.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/registers.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

// Sums that stay in registers, one for each pixel and vector of outputs: eight hide the latency of
// four cycles at two multiply-adds per cycle, and AVX2 has sixteen registers for these sums, a
// weight and a value.
constexpr std::size_t most_sums = 12;
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

template <std::size_t pixels, std::size_t groups>
void columns_of(const Convolution& c, Block in, real* out) {
  for (std::size_t i = 0; i < c.out_height(); ++i) {
    row_of_blocks<pixels, groups>(c, in, out);
    in.framed += c.framed_row();
    out += c.out_width() * c.outputs;
  }
}

// Returns the number of pixels in a block for which a row takes the least time: blocks overlap
// little, and fewer than eight sums take the time of eight.
std::size_t best_pixels(std::size_t row, std::size_t groups) {
  const auto time = [&](std::size_t pixels) {
    return (row + pixels - 1) / pixels * std::max(pixels, 8 / groups);
  };
  std::size_t best = 1;
  for (std::size_t pixels = 2; pixels <= std::min(row, most_sums / groups); ++pixels)
    if (time(pixels) <= time(best)) best = pixels;
  return best;
}

template <std::size_t most, std::size_t groups>
void columns_of_at_most(const Convolution& c, const Block& in, std::size_t pixels, real* out) {
  if constexpr (most > 1)
    if (pixels < most) return columns_of_at_most<most - 1, groups>(c, in, pixels, out);
  columns_of<most, groups>(c, in, out);
}

template <std::size_t groups>
void columns(const Convolution& c, const Block& in, real* out) {
  columns_of_at_most<most_sums / groups, groups>(c, in, best_pixels(c.out_width(), groups), out);
}

// Pads weights with zeros to a vector of outputs.
void padded_outputs(const Convolution& c, const Block& in, std::size_t width, real* out) {
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

// The image by planes, one input after the other, so that the same input of neighbouring pixels
// fills a vector.
struct Planes {
  Vector value;
  std::vector<std::size_t> under;  ///< places of the values under the kernel, from its first on
  std::size_t row = 0;

  void set(const Convolution& c, const real* framed) {
    row = c.width + 2 * c.padding;
    const std::size_t plane = c.framed_rows() * row;
    under.clear();
    for (std::size_t k = 0; k < c.kernel; ++k)
      for (std::size_t column = 0; column < c.kernel; ++column)
        for (std::size_t t = 0; t < c.inputs; ++t) under.push_back(t * plane + k * row + column);
    value.assign(c.inputs * plane + 2 * lane_width, real{0});
    for (std::size_t p = 0; p < plane; ++p)
      for (std::size_t t = 0; t < c.inputs; ++t) value[t * plane + p] = framed[p * c.inputs + t];
  }
};

// Computes `outputs` maps at `vectors` x lane_width neighbouring pixels. Sums run over the patch in
// its order, as in block().
template <std::size_t vectors, std::size_t outputs>
HWY_INLINE void pixels_of_row(const Planes& planes, std::size_t first, const Block& in,
                              real* sums) {
  const Registers registers;
  Register part[vectors][outputs];
  for (auto& vector : part)
    for (auto& output : vector) output = hn::Zero(registers);
  const real* w = in.weights;
  for (const std::size_t place : planes.under) {
    const real* const from = planes.value.data() + first + place;
    Register value[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      value[v] = hn::LoadU(registers, from + v * lane_width);
    for (std::size_t o = 0; o < outputs; ++o) {
      const Register weight = hn::Set(registers, w[o]);
      for (std::size_t v = 0; v < vectors; ++v)
        part[v][o] = hn::MulAdd(value[v], weight, part[v][o]);
    }
    w += in.stride;
  }
  for (std::size_t v = 0; v < vectors; ++v)
    for (std::size_t o = 0; o < outputs; ++o)
      hn::StoreU(hn::Add(part[v][o], hn::Set(registers, in.bias[o])), registers,
                 sums + (o * vectors + v) * lane_width);
}

// Computes `outputs` maps, some vectors of neighbouring pixels at a time; the last vectors of a row
// start earlier, or end beyond it.
template <std::size_t outputs>
void maps_by_pixels(const Convolution& c, const Planes& planes, const Block& in, real* out) {
  constexpr std::size_t vectors = most_sums / outputs > 1 ? 2 : 1;
  constexpr std::size_t width = vectors * lane_width;
  HWY_ALIGN real sums[outputs * width];
  for (std::size_t i = 0; i < c.out_height(); ++i)
    for (std::size_t j = 0; j < c.out_width(); j += width) {
      const std::size_t first = c.out_width() < width ? 0 : std::min(j, c.out_width() - width);
      pixels_of_row<vectors, outputs>(planes, i * planes.row + first, in, sums);
      const std::size_t count = std::min(width, c.out_width() - first);
      real* const to = out + (i * c.out_width() + first) * c.outputs;
      for (std::size_t p = 0; p < count; ++p)
        for (std::size_t o = 0; o < outputs; ++o) to[p * c.outputs + o] = sums[o * width + p];
    }
}

constexpr std::size_t most_thin_outputs = 8;

template <std::size_t outputs>
void thin_maps(const Convolution& c, const Planes& planes, std::size_t count, const Block& in,
               real* out) {
  if constexpr (outputs > 1)
    if (count < outputs) return thin_maps<outputs - 1>(c, planes, count, in, out);
  maps_by_pixels<outputs>(c, planes, in, out);
}

// Handles outputs that do not fill a vector: pixels fill it if that is less work.
void rest(const Convolution& c, const Block& in, std::size_t count, real* out) {
  const std::size_t vectors = (c.out_width() + lane_width - 1) / lane_width;
  if (count > most_thin_outputs || count * vectors >= c.out_width())
    return padded_outputs(c, in, count, out);
  static thread_local Planes planes;
  planes.set(c, in.framed);
  thin_maps<most_thin_outputs>(c, planes, count, in, out);
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
  if (c.padding == 0) {  // no frame but the room behind the image
    framed.resize(c.framed_size());
    std::copy(image.begin(), image.end(), framed.begin());
    std::fill(framed.begin() + static_cast<std::ptrdiff_t>(image.size()), framed.end(), real{0});
    return;
  }
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
