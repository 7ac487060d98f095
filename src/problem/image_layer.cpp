#include "problem/image_layer.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/image_layer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using NonZeros = DenseRows::NonZeros;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;

constexpr std::size_t lane_width = HWY_MAX_BYTES / sizeof(real);

// Columns of the dense matrix that are worked on at once: half of the 16 registers that there are
// everywhere, but not more than 64, the units of a layer that are usual.
constexpr std::size_t strip = std::min<std::size_t>(64, 8 * lane_width);

// Calls work(number of whole vectors, which the compiler knows, or 0) for the columns from `first`
// on; returns behind them. Fewer columns than a vector has lanes are taken one by one.
template <std::size_t groups = strip / lane_width, class Work>
HWY_INLINE std::size_t take_columns(std::size_t first, std::size_t columns, Work&& work) {
  if (columns - first >= groups * lane_width) {
    work(std::integral_constant<std::size_t, groups>{}, groups * lane_width);
    return first + groups * lane_width;
  }
  if constexpr (groups > 1) {
    return take_columns<groups / 2>(first, columns, work);
  } else {
    work(std::integral_constant<std::size_t, 0>{}, columns - first);
    return columns;
  }
}

HWY_INLINE std::size_t size(Eigen::Index index) { return static_cast<std::size_t>(index); }

// Non-zero bytes of one row.
struct Entries {
  const std::uint16_t* column;
  const std::uint8_t* byte;
  std::size_t count;
};

Entries entries(const NonZeros& n, std::uint32_t row) {
  const std::size_t first = n.start[row];
  return {n.column.data() + first, n.byte.data() + first, n.start[row + 1] - first};
}

// out[0 .. width) = sum over the entries of byte * w[column][0 .. width)
template <std::size_t groups>
void product(const Entries& in, const real* w, std::size_t stride, real* out, std::size_t width) {
  if constexpr (groups == 0) {
    std::fill_n(out, width, real{0});
    for (std::size_t e = 0; e < in.count; ++e)
      for (std::size_t j = 0; j < width; ++j)
        out[j] += static_cast<real>(in.byte[e]) * w[in.column[e] * stride + j];
  } else {
    const Registers registers;
    Register part[groups];
    for (auto& one : part) one = hn::Zero(registers);
    for (std::size_t e = 0; e < in.count; ++e) {
      const Register value = hn::Set(registers, static_cast<real>(in.byte[e]));
      const real* from = w + in.column[e] * stride;
      for (std::size_t g = 0; g < groups; ++g)
        part[g] = hn::MulAdd(value, hn::LoadU(registers, from + g * lane_width), part[g]);
    }
    for (std::size_t g = 0; g < groups; ++g) hn::StoreU(part[g], registers, out + g * lane_width);
  }
}

// sum[column][0 .. width) += byte * error[0 .. width) for all entries
template <std::size_t groups>
void add_transpose(const Entries& in, const real* error, real* sum, std::size_t stride,
                   std::size_t width) {
  if constexpr (groups == 0) {
    for (std::size_t e = 0; e < in.count; ++e)
      for (std::size_t j = 0; j < width; ++j)
        sum[in.column[e] * stride + j] += static_cast<real>(in.byte[e]) * error[j];
  } else {
    const Registers registers;
    Register part[groups];
    for (std::size_t g = 0; g < groups; ++g) part[g] = hn::LoadU(registers, error + g * lane_width);
    for (std::size_t e = 0; e < in.count; ++e) {
      const Register value = hn::Set(registers, static_cast<real>(in.byte[e]));
      real* to = sum + in.column[e] * stride;
      for (std::size_t g = 0; g < groups; ++g) {
        real* const at = to + g * lane_width;
        hn::StoreU(hn::MulAdd(value, part[g], hn::LoadU(registers, at)), registers, at);
      }
    }
  }
}

template <std::size_t groups>
void product_strip(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                   MatrixView out) {
  const std::size_t width = size(w.cols());
  std::array<real, strip> column_sum{};
  for (Eigen::Index i = 0; i < w.rows(); ++i)
    for (std::size_t j = 0; j < width; ++j) column_sum[j] += w.row(i).data()[j];
  const real scale = static_cast<real>(images.scale);
  const real shift = static_cast<real>(images.shift);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    real* to = out.row(static_cast<Eigen::Index>(r)).data();
    product<groups>(entries(images.nonzeros, rows[r]), w.data(), size(w.outerStride()), to, width);
    for (std::size_t j = 0; j < width; ++j) to[j] = scale * to[j] + shift * column_sum[j];
  }
}

template <std::size_t groups>
void transpose_strip(const DenseRows& images, Coordinates rows, real weight,
                     const ConstMatrixView& e, MatrixView sum) {
  const std::size_t width = size(e.cols());
  const real scale = weight * static_cast<real>(images.scale);
  const real shift = weight * static_cast<real>(images.shift);
  std::array<real, strip> total{};
  std::array<real, strip> scaled{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const real* error = e.row(static_cast<Eigen::Index>(r)).data();
    for (std::size_t j = 0; j < width; ++j) {
      total[j] += error[j];
      scaled[j] = scale * error[j];
    }
    add_transpose<groups>(entries(images.nonzeros, rows[r]), scaled.data(), sum.data(),
                          size(sum.outerStride()), width);
  }
  for (Eigen::Index i = 0; i < sum.rows(); ++i)
    for (std::size_t j = 0; j < width; ++j) sum.row(i).data()[j] += shift * total[j];
}

}  // namespace

void all_products(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                  MatrixView out) {
  for (std::size_t first = 0; first < size(w.cols());)
    first = take_columns(first, size(w.cols()), [&](auto groups, std::size_t width) HWY_ATTR {
      product_strip<groups>(
          images, rows, matrix(w.data() + first, size(w.rows()), width, size(w.outerStride())),
          matrix(out.data() + first, size(out.rows()), width, size(out.outerStride())));
    });
}

void all_transpose_products(const DenseRows& images, Coordinates rows, real weight,
                            const ConstMatrixView& e, MatrixView sum) {
  for (std::size_t first = 0; first < size(e.cols());)
    first = take_columns(first, size(e.cols()), [&](auto groups, std::size_t width) HWY_ATTR {
      transpose_strip<groups>(
          images, rows, weight,
          matrix(e.data() + first, size(e.rows()), width, size(e.outerStride())),
          matrix(sum.data() + first, size(sum.rows()), width, size(sum.outerStride())));
    });
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(all_products);
HWY_EXPORT(all_transpose_products);

void image_prefetch(const DenseRows& images, Coordinates rows) {
  constexpr std::size_t line = 64;
  const DenseRows::NonZeros& n = images.nonzeros;
  for (const auto row : rows) __builtin_prefetch(n.start.data() + row);
  for (const auto row : rows) {
    const std::size_t last = n.start[row + 1];
    for (std::size_t e = n.start[row]; e < last; e += line / sizeof(std::uint16_t))
      __builtin_prefetch(n.column.data() + e);
    for (std::size_t e = n.start[row]; e < last; e += line) __builtin_prefetch(n.byte.data() + e);
  }
}

void image_product(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                   MatrixView out) {
  HWY_DYNAMIC_DISPATCH(all_products)(images, rows, w, out);
}

void image_transpose_product(const DenseRows& images, Coordinates rows, real weight,
                             const ConstMatrixView& e, MatrixView sum) {
  HWY_DYNAMIC_DISPATCH(all_transpose_products)(images, rows, weight, e, sum);
}

}  // namespace trilemma
#endif
