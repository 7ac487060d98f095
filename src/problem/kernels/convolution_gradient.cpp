#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "problem/kernels/convolution.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/convolution_gradient.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/registers.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

std::size_t full_vectors(std::size_t count) { return (count + lane_width - 1) / lane_width; }

// Calls work with `number`, from 1 to `most`, as a compile-time constant, so that short loops are
// unrolled.
template <std::size_t most, class Work>
HWY_INLINE void with_constant(std::size_t number, Work&& work) {
  if constexpr (most > 1)
    if (number < most) return with_constant<most - 1>(number, work);
  work(std::integral_constant<std::size_t, most>{});
}
constexpr std::size_t most_columns = 6;

// A group of vectors under the kernel whose sums stay in registers: `rows` rows of the kernel from
// row k on, and in each row `columns` vectors from vector v on.
template <std::size_t rows, std::size_t columns>
struct Tile {
  std::size_t k, v;

  std::size_t in_weights(std::size_t length) const { return (k * length + v) * lane_width; }
  std::size_t in_framed(const Convolution& c) const { return k * c.framed_row() + v * lane_width; }
};

// Calls visit with the tiles that cover all vectors under the kernel, `length` of them per row.
template <class Visit>
HWY_INLINE void each_tile(const Convolution& c, std::size_t length, Visit&& visit) {
  if (c.kernel == 3 && length <= 3) {
    with_constant<3>(length, [&](auto columns) HWY_ATTR { visit(Tile<3, columns>{0, 0}); });
  } else if (c.kernel == 5 && length <= 2) {
    with_constant<2>(length, [&](auto columns) HWY_ATTR { visit(Tile<5, columns>{0, 0}); });
  } else {
    for (std::size_t k = 0; k < c.kernel; ++k)
      for (std::size_t v = 0; v < length; v += most_columns)
        with_constant<most_columns>(std::min(most_columns, length - v), [&](auto columns) HWY_ATTR {
          visit(Tile<1, columns>{k, v});
        });
  }
}

// The sums of a tile, whose rows are `stride` values apart in memory.
template <std::size_t rows, std::size_t columns>
struct Sums {
  Register part[rows][columns];

  HWY_INLINE void load(const real* from, std::size_t stride) {
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t v = 0; v < columns; ++v)
        part[k][v] = hn::LoadU(Registers(), from + k * stride + v * lane_width);
  }
  HWY_INLINE void add_multiple(real by, const real* from, std::size_t stride) {
    const Register factor = hn::Set(Registers(), by);
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t v = 0; v < columns; ++v)
        part[k][v] = hn::MulAdd(factor, hn::LoadU(Registers(), from + k * stride + v * lane_width),
                                part[k][v]);
  }
  HWY_INLINE void store(real* to, std::size_t stride) const {
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t v = 0; v < columns; ++v)
        hn::StoreU(part[k][v], Registers(), to + k * stride + v * lane_width);
  }
};

constexpr std::size_t bits_of_word = 64;

// Sets bit o of bits[p] if error[o] is nonzero and belongs to position p, for the first `count`
// outputs.
HWY_INLINE void errors_by_place(const real* error, const real* place, std::size_t count,
                                std::array<std::uint64_t, 4>& bits) {
  const Registers registers;
  bits.fill(0);
  std::size_t o = 0;
  for (; o + lane_width <= count; o += lane_width) {
    const auto counts = hn::Ne(hn::LoadU(registers, error + o), hn::Zero(registers));
    const Register where = hn::LoadU(registers, place + o);
    for (std::size_t p = 0; p < bits.size(); ++p) {
      const auto here = hn::And(counts, hn::Eq(where, hn::Set(registers, static_cast<real>(p))));
      std::uint8_t stored[8];  // Highway requires eight bytes; it sets as many as there are lanes
      const std::size_t bytes = hn::StoreMaskBits(registers, here, stored);
      for (std::size_t b = 0; b < bytes; ++b) bits[p] |= std::uint64_t{stored[b]} << (o + 8 * b);
    }
  }
  for (; o < count; ++o)
    bits[static_cast<std::size_t>(place[o])] |= std::uint64_t{error[o] != real{0}} << o;
}

}  // namespace

std::size_t run_room(std::size_t run) { return full_vectors(run) * lane_width; }

void add_gradient(const Convolution& c, const real* framed, const ErrorsByOutput& errors,
                  real* weights) {
  const std::size_t length = full_vectors(c.run());
  const std::size_t room = length * lane_width;
  each_tile(c, length,
            [&]<std::size_t rows, std::size_t columns>(Tile<rows, columns> tile) HWY_ATTR {
              const real* const under = framed + tile.in_framed(c);
              real* to = weights + tile.in_weights(length);
              for (std::size_t o = 0; o < c.outputs; ++o, to += c.kernel * room) {
                Sums<rows, columns> sums;
                sums.load(to, room);
                for (const PlacedError& one : errors.of(o))
                  sums.add_multiple(one.error, under + one.first, c.framed_row());
                sums.store(to, room);
              }
            });
}

void spread(const Convolution& c, const PooledErrors& in, const real* weights, real* framed) {
  const std::size_t length = full_vectors(c.run());
  const std::size_t room = length * lane_width;
  const auto step = c.steps();
  std::array<std::uint64_t, 4> bits{};
  for (std::size_t cell = 0; cell < c.pooled(); ++cell)
    for (std::size_t first = 0; first < c.outputs; first += bits_of_word) {
      const real* const errors = in.errors.data() + cell * c.outputs + first;
      errors_by_place(errors, in.places.data() + cell * c.outputs + first,
                      std::min(bits_of_word, c.outputs - first), bits);
      for (std::size_t p = 0; p < bits.size(); ++p) {
        if (bits[p] == 0) continue;
        real* const under = framed + c.first_under(cell) + step[p];
        each_tile(c, length,
                  [&]<std::size_t rows, std::size_t columns>(Tile<rows, columns> tile) HWY_ATTR {
                    const real* const from =
                        weights + first * c.kernel * room + tile.in_weights(length);
                    real* const to = under + tile.in_framed(c);
                    Sums<rows, columns> sums;
                    sums.load(to, c.framed_row());
                    for (auto left = bits[p]; left != 0; left &= left - 1) {
                      const auto o = static_cast<std::size_t>(std::countr_zero(left));
                      sums.add_multiple(errors[o], from + o * c.kernel * room, room);
                    }
                    sums.store(to, c.framed_row());
                  });
      }
    }
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {
namespace {

HWY_EXPORT(run_room);
HWY_EXPORT(add_gradient);
HWY_EXPORT(spread);

std::size_t room_of(const Convolution& c) { return HWY_DYNAMIC_DISPATCH(run_room)(c.run()); }

// Calls visit(row in W, position in the transposed weights, output) for every weight.
template <class Visit>
void each_weight(const Convolution& c, Visit&& visit) {
  const std::size_t room = room_of(c);
  for (std::size_t o = 0; o < c.outputs; ++o)
    for (std::size_t k = 0; k < c.kernel; ++k)
      for (std::size_t t = 0; t < c.run(); ++t)
        visit(k * c.run() + t, (o * c.kernel + k) * room + t, o);
}

}  // namespace

void ErrorsByOutput::sort(const Convolution& c, const PooledErrors& in) {
  room_ = c.pooled();
  errors_.resize(c.outputs * room_);
  ends_.resize(c.outputs);
  for (std::size_t o = 0; o < c.outputs; ++o) ends_[o] = errors_.data() + o * room_;
  const real* error = in.errors.data();
  const real* place = in.places.data();
  const auto step = c.steps();
  for (std::size_t cell = 0; cell < c.pooled(); ++cell, error += c.outputs, place += c.outputs) {
    const std::size_t under = c.first_under(cell);
    // Writes every error and advances only past nonzero ones, which avoids unpredictable branches.
    for (std::size_t o = 0; o < c.outputs; ++o) {
      const std::size_t first = under + step[static_cast<std::uint8_t>(place[o])];
      *ends_[o] = {static_cast<std::uint32_t>(first), error[o]};
      ends_[o] += error[o] != real{0};
    }
  }
}

void ConvolutionGradient::clear(const Convolution& c) {
  weights_.assign(c.outputs * c.kernel * room_of(c), real{0});
  bias_.assign(c.outputs, real{0});
}

void ConvolutionGradient::add(const Convolution& c, ConstView framed, const PooledErrors& in) {
  errors_.sort(c, in);
  HWY_DYNAMIC_DISPATCH(add_gradient)(c, framed.data(), errors_, weights_.data());
  for (std::size_t cell = 0; cell < c.pooled(); ++cell)
    for (std::size_t o = 0; o < c.outputs; ++o) bias_[o] += in.errors[cell * c.outputs + o];
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

void ConvolutionTranspose::operator()(const Convolution& c, const PooledErrors& in, View image) {
  framed_.assign(c.framed_size(), real{0});
  HWY_DYNAMIC_DISPATCH(spread)(c, in, weights_.data(), framed_.data());
  const std::size_t row = c.width * c.inputs;
  for (std::size_t i = 0; i < c.height; ++i)
    std::copy_n(framed_.data() + (i + c.padding) * c.framed_row() + c.padding * c.inputs, row,
                image.data() + i * row);
}

}  // namespace trilemma
#endif
