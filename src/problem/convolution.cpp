#include "problem/convolution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/convolution.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;
constexpr std::size_t lane_width = HWY_MAX_BYTES / sizeof(real);

// Pixels and vectors of outputs whose sums stay in registers: eight sums hide the four cycles that
// each of two multiply-adds in a cycle takes.
constexpr std::size_t most_pixels = 4;
constexpr std::size_t most_groups = 2;

// Weights and where they are applied: `framed` is what lies under the kernel at the first pixel.
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

// One row of the maps. Blocks that would end behind it begin earlier and write the same again.
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

// Outputs that fill no vector, beside zeros that do.
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

constexpr std::size_t bits_of_word = 64;

// Bit o says that value[o] is not 0, for `count` values at most.
HWY_INLINE std::uint64_t not_zero(const real* value, std::size_t count) {
  const Registers registers;
  std::uint64_t bits = 0;
  std::size_t o = 0;
  for (; o + lane_width <= count; o += lane_width) {
    const auto differs = hn::Ne(hn::LoadU(registers, value + o), hn::Zero(registers));
    std::uint8_t stored[8];  // Highway asks for as many; set only as far as there are lanes
    const std::size_t bytes = hn::StoreMaskBits(registers, differs, stored);
    for (std::size_t b = 0; b < bytes; ++b) bits |= std::uint64_t{stored[b]} << (o + 8 * b);
  }
  for (; o < count; ++o) bits |= std::uint64_t{value[o] != real{0}} << o;
  return bits;
}

std::size_t full_vectors(std::size_t count) { return (count + lane_width - 1) / lane_width; }

// to[0 .. length vectors) += by * from[0 .. length vectors)
template <class Length>
HWY_INLINE void add_multiple(real by, const real* from, Length length, real* to) {
  const Registers registers;
  const Register factor = hn::Set(registers, by);
  for (std::size_t v = 0; v < length; ++v) {
    real* const at = to + v * lane_width;
    hn::StoreU(
        hn::MulAdd(factor, hn::LoadU(registers, from + v * lane_width), hn::LoadU(registers, at)),
        registers, at);
  }
}

// Calls work with the number of vectors under a row of the kernel, which the compiler knows where
// it is usual: loops over so few are spelled out then.
template <class Work>
void with_length(std::size_t vectors, Work&& work) {
  if (vectors == 1) return work(std::integral_constant<std::size_t, 1>{});
  if (vectors == 2) return work(std::integral_constant<std::size_t, 2>{});
  if (vectors == 3) return work(std::integral_constant<std::size_t, 3>{});
  if (vectors == 6) return work(std::integral_constant<std::size_t, 6>{});
  work(vectors);
}

// Calls visit(first value under the kernel, output, error) for every error that is not 0.
template <class Visit>
HWY_INLINE void each_error(const Convolution& c, const real* errors, Visit&& visit) {
  for (std::size_t i = 0; i < c.out_height(); ++i)
    for (std::size_t j = 0; j < c.out_width(); ++j, errors += c.outputs)
      for (std::size_t first = 0; first < c.outputs; first += bits_of_word) {
        const std::size_t count = std::min(bits_of_word, c.outputs - first);
        for (auto bits = not_zero(errors + first, count); bits != 0; bits &= bits - 1) {
          const auto o = first + static_cast<std::size_t>(std::countr_zero(bits));
          visit(i * c.framed_row() + j * c.inputs, o, errors[o]);
        }
      }
}

}  // namespace

std::size_t run_room(std::size_t run) { return full_vectors(run) * lane_width; }

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

void add_gradient(const Convolution& c, const real* framed, const real* errors, real* weights) {
  with_length(full_vectors(c.run()), [&](auto length) HWY_ATTR {
    const std::size_t room = length * lane_width;
    each_error(c, errors, [&](std::size_t first, std::size_t o, real error) HWY_ATTR {
      real* const to = weights + o * c.kernel * room;
      for (std::size_t k = 0; k < c.kernel; ++k)
        add_multiple(error, framed + first + k * c.framed_row(), length, to + k * room);
    });
  });
}

void spread(const Convolution& c, const real* errors, const real* weights, real* framed) {
  with_length(full_vectors(c.run()), [&](auto length) HWY_ATTR {
    const std::size_t room = length * lane_width;
    each_error(c, errors, [&](std::size_t first, std::size_t o, real error) HWY_ATTR {
      const real* const from = weights + o * c.kernel * room;
      for (std::size_t k = 0; k < c.kernel; ++k)
        add_multiple(error, from + k * room, length, framed + first + k * c.framed_row());
    });
  });
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {
namespace {

HWY_EXPORT(run_room);
HWY_EXPORT(all_columns);
HWY_EXPORT(add_gradient);
HWY_EXPORT(spread);

// Behind a framed image; kernels touch values behind a run up to the end of a vector.
constexpr std::size_t overrun = 64 / sizeof(real);

std::size_t room_of(const Convolution& c) { return HWY_DYNAMIC_DISPATCH(run_room)(c.run()); }

// Calls visit(row in W, place in the turned weights, output) for every weight.
template <class Visit>
void each_weight(const Convolution& c, Visit&& visit) {
  const std::size_t room = room_of(c);
  for (std::size_t o = 0; o < c.outputs; ++o)
    for (std::size_t k = 0; k < c.kernel; ++k)
      for (std::size_t t = 0; t < c.run(); ++t)
        visit(k * c.run() + t, (o * c.kernel + k) * room + t, o);
}

}  // namespace

void frame(const Convolution& c, ConstView image, Vector& framed) {
  framed.assign(c.framed_rows() * c.framed_row() + overrun, real{0});
  const std::size_t row = c.width * c.inputs;
  for (std::size_t i = 0; i < c.height; ++i)
    std::copy_n(image.data() + i * row, row,
                framed.data() + (i + c.padding) * c.framed_row() + c.padding * c.inputs);
}

void convolve(const Convolution& c, ConstView framed, const ConstMatrixView& w, ConstView bias,
              View maps) {
  HWY_DYNAMIC_DISPATCH(all_columns)(c, framed, w, bias, maps);
}

void ConvolutionGradient::clear(const Convolution& c) {
  weights_.assign(c.outputs * c.kernel * room_of(c), real{0});
  bias_.assign(c.outputs, real{0});
}

void ConvolutionGradient::add(const Convolution& c, ConstView framed, ConstView errors) {
  HWY_DYNAMIC_DISPATCH(add_gradient)(c, framed.data(), errors.data(), weights_.data());
  for (std::size_t p = 0; p < c.patches(); ++p)
    for (std::size_t o = 0; o < c.outputs; ++o) bias_[o] += errors[p * c.outputs + o];
}

void ConvolutionGradient::add_to(const Convolution& c, real weight, View to) const {
  each_weight(c, [&](std::size_t row, std::size_t place, std::size_t o) {
    to[row * c.outputs + o] += weight * weights_[place];
  });
  for (std::size_t o = 0; o < c.outputs; ++o) to[c.weights() + o] += weight * bias_[o];
}

void ConvolutionTranspose::set_weights(const Convolution& c, const ConstMatrixView& w) {
  weights_.assign(c.outputs * c.kernel * room_of(c), real{0});
  const auto stride = static_cast<std::size_t>(w.outerStride());
  each_weight(c, [&](std::size_t row, std::size_t place, std::size_t o) {
    weights_[place] = w.data()[row * stride + o];
  });
}

void ConvolutionTranspose::operator()(const Convolution& c, ConstView errors, View image) {
  framed_.assign(c.framed_rows() * c.framed_row() + overrun, real{0});
  HWY_DYNAMIC_DISPATCH(spread)(c, errors.data(), weights_.data(), framed_.data());
  const std::size_t row = c.width * c.inputs;
  for (std::size_t i = 0; i < c.height; ++i)
    std::copy_n(framed_.data() + (i + c.padding) * c.framed_row() + c.padding * c.inputs, row,
                image.data() + i * row);
}

}  // namespace trilemma
#endif
