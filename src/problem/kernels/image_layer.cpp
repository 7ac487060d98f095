#include "problem/kernels/image_layer.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/image_layer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/registers.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

using NonZeros = DenseRows::NonZeros;

// Number of columns of the dense matrix that are processed at once: half of the 16 registers that
// every processor has, but at most 64, the usual number of units in a layer.
constexpr std::size_t strip = std::min<std::size_t>(64, 8 * lane_width);

// Calls work(number of vectors as a compile-time constant, number of columns) for the columns from
// `first` on; returns the column after them. The last vector of a matrix may be filled only in
// part.
template <std::size_t groups = strip / lane_width, class Work>
HWY_INLINE std::size_t take_columns(std::size_t first, std::size_t columns, Work&& work) {
  if constexpr (groups > 1)
    if (columns - first < groups * lane_width)
      return take_columns<groups / 2>(first, columns, work);
  const std::size_t width = std::min(groups * lane_width, columns - first);
  work(std::integral_constant<std::size_t, groups>{}, width);
  return first + width;
}

HWY_INLINE std::size_t size(Eigen::Index index) { return static_cast<std::size_t>(index); }

// Nonzero bytes of one row.
struct Entries {
  const std::uint16_t* column;
  const std::uint8_t* byte;
  std::size_t count;
};

Entries entries(const NonZeros& n, std::uint32_t row) {
  const std::size_t first = n.start[row];
  return {n.column.data() + first, n.byte.data() + first, n.start[row + 1] - first};
}

// Sets out = scale * (sum over the entries of byte * w[column]) + shift * column_sum, for `groups`
// vectors.
template <std::size_t groups>
void product(const Entries& in, const real* w, std::size_t stride, Register scale,
             const Register (&shifted)[groups], real* out) {
  const Registers registers;
  Register part[groups];
  for (auto& one : part) one = hn::Zero(registers);
  for (std::size_t e = 0; e < in.count; ++e) {
    const Register value = hn::Set(registers, static_cast<real>(in.byte[e]));
    const real* from = w + in.column[e] * stride;
    for (std::size_t g = 0; g < groups; ++g)
      part[g] = hn::MulAdd(value, hn::LoadU(registers, from + g * lane_width), part[g]);
  }
  for (std::size_t g = 0; g < groups; ++g)
    hn::StoreU(hn::MulAdd(scale, part[g], shifted[g]), registers, out + g * lane_width);
}

// Adds byte * error to sum[column] for all entries, `groups` vectors each.
template <std::size_t groups>
void add_transpose(const Entries& in, const Register (&error)[groups], real* sum,
                   std::size_t stride) {
  const Registers registers;
  for (std::size_t e = 0; e < in.count; ++e) {
    const Register value = hn::Set(registers, static_cast<real>(in.byte[e]));
    real* to = sum + in.column[e] * stride;
    for (std::size_t g = 0; g < groups; ++g) {
      real* const at = to + g * lane_width;
      hn::StoreU(hn::MulAdd(value, error[g], hn::LoadU(registers, at)), registers, at);
    }
  }
}

template <std::size_t groups>
void product_strip(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                   MatrixView out) {
  const Registers registers;
  Register shifted[groups];
  for (auto& one : shifted) one = hn::Zero(registers);
  for (Eigen::Index i = 0; i < w.rows(); ++i)
    for (std::size_t g = 0; g < groups; ++g)
      shifted[g] = hn::Add(shifted[g], hn::LoadU(registers, w.row(i).data() + g * lane_width));
  const Register scale = hn::Set(registers, static_cast<real>(images.scale));
  const Register shift = hn::Set(registers, static_cast<real>(images.shift));
  for (auto& one : shifted) one = hn::Mul(shift, one);
  for (std::size_t r = 0; r < rows.size(); ++r)
    product<groups>(entries(images.nonzeros, rows[r]), w.data(), size(w.outerStride()), scale,
                    shifted, out.row(static_cast<Eigen::Index>(r)).data());
}

template <std::size_t groups>
void transpose_strip(const DenseRows& images, Coordinates rows, real weight,
                     const ConstMatrixView& e, MatrixView sum) {
  const Registers registers;
  const Register scale = hn::Set(registers, weight * static_cast<real>(images.scale));
  const Register shift = hn::Set(registers, weight * static_cast<real>(images.shift));
  Register total[groups];
  for (auto& one : total) one = hn::Zero(registers);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Register error[groups];
    for (std::size_t g = 0; g < groups; ++g) {
      error[g] = hn::LoadU(registers, e.row(static_cast<Eigen::Index>(r)).data() + g * lane_width);
      total[g] = hn::Add(total[g], error[g]);
      error[g] = hn::Mul(scale, error[g]);
    }
    add_transpose<groups>(entries(images.nonzeros, rows[r]), error, sum.data(),
                          size(sum.outerStride()));
  }
  for (Eigen::Index i = 0; i < sum.rows(); ++i)
    for (std::size_t g = 0; g < groups; ++g) {
      real* const at = sum.row(i).data() + g * lane_width;
      hn::StoreU(hn::MulAdd(shift, total[g], hn::LoadU(registers, at)), registers, at);
    }
}

// Copies columns that do not fill a vector and pads them with zeros: each row of `room` is one
// vector.
template <class Matrix>
void fill(const Matrix& part, Vector& room) {
  room.assign(size(part.rows()) * lane_width, real{0});
  for (Eigen::Index i = 0; i < part.rows(); ++i)
    std::copy_n(part.data() + i * part.outerStride(), part.cols(),
                room.data() + size(i) * lane_width);
}
template <class Values>
auto filled(Values& room) {
  return matrix(room.data(), room.size() / lane_width, lane_width, lane_width);
}
void take_back(const Vector& room, MatrixView part) {
  for (Eigen::Index i = 0; i < part.rows(); ++i)
    std::copy_n(room.data() + size(i) * lane_width, part.cols(),
                part.data() + i * part.outerStride());
}

}  // namespace

void all_products(const DenseRows& images, Coordinates rows, const ConstMatrixView& w,
                  MatrixView out) {
  static thread_local Vector weights;
  static thread_local Vector sums;
  for (std::size_t first = 0; first < size(w.cols());)
    first = take_columns(first, size(w.cols()), [&](auto groups, std::size_t width) HWY_ATTR {
      const auto from = matrix(w.data() + first, size(w.rows()), width, size(w.outerStride()));
      const auto to = matrix(out.data() + first, size(out.rows()), width, size(out.outerStride()));
      if (width == groups * lane_width) return product_strip<groups>(images, rows, from, to);
      fill(from, weights);
      sums.resize(rows.size() * lane_width);
      product_strip<1>(images, rows, filled(std::as_const(weights)), filled(sums));
      take_back(sums, to);
    });
}

void all_transpose_products(const DenseRows& images, Coordinates rows, real weight,
                            const ConstMatrixView& e, MatrixView sum) {
  static thread_local Vector errors;
  static thread_local Vector sums;
  for (std::size_t first = 0; first < size(e.cols());)
    first = take_columns(first, size(e.cols()), [&](auto groups, std::size_t width) HWY_ATTR {
      const auto from = matrix(e.data() + first, size(e.rows()), width, size(e.outerStride()));
      const auto to = matrix(sum.data() + first, size(sum.rows()), width, size(sum.outerStride()));
      if (width == groups * lane_width)
        return transpose_strip<groups>(images, rows, weight, from, to);
      fill(from, errors);
      fill(to, sums);
      transpose_strip<1>(images, rows, weight, filled(std::as_const(errors)), filled(sums));
      take_back(sums, to);
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
