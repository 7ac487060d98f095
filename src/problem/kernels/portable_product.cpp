#include <algorithm>
#include <vector>

#include "problem/kernels/product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/portable_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "numeric/registers.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

// Size of a block of the result that stays in registers.
constexpr std::size_t block_rows = 4;
constexpr std::size_t most_column_groups = 2;
constexpr std::size_t block_columns = most_column_groups * lane_width;

struct Factors {
  real weight;
  const real* a;
  std::size_t a_stride;
  const real* b;
  std::size_t b_stride;
  std::size_t terms;
  Onto onto;
};

template <std::size_t rows, std::size_t groups>
HWY_INLINE void block(const Factors& f, real* out, std::size_t stride) {
  const Registers registers;
  Register part[rows][groups];
  for (auto& row : part)
    for (auto& group : row) group = hn::Zero(registers);
  for (std::size_t k = 0; k < f.terms; ++k) {
    Register b[groups];
    for (std::size_t g = 0; g < groups; ++g)
      b[g] = hn::LoadU(registers, f.b + k * f.b_stride + g * lane_width);
    for (std::size_t r = 0; r < rows; ++r) {
      const Register a = hn::Set(registers, f.a[r * f.a_stride + k]);
      for (std::size_t g = 0; g < groups; ++g) part[r][g] = hn::MulAdd(a, b[g], part[r][g]);
    }
  }
  const Register weight = hn::Set(registers, f.weight);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t g = 0; g < groups; ++g) {
      real* const to = out + r * stride + g * lane_width;
      const Register before =
          f.onto == Onto::result ? hn::LoadU(registers, to) : hn::Zero(registers);
      hn::StoreU(hn::MulAdd(weight, part[r][g], before), registers, to);
    }
}

// Computes all rows of one block of columns.
template <std::size_t groups>
void column_block(const Factors& f, std::size_t rows, real* out, std::size_t stride) {
  Factors here = f;
  std::size_t r = 0;
  for (; r + block_rows <= rows; r += block_rows) {
    here.a = f.a + r * f.a_stride;
    block<block_rows, groups>(here, out + r * stride, stride);
  }
  for (; r < rows; ++r) {
    here.a = f.a + r * f.a_stride;
    block<1, groups>(here, out + r * stride, stride);
  }
}

// Handles columns that do not fill a block, padded with zeros.
void rest(const Factors& f, std::size_t rows, std::size_t columns, real* out, std::size_t stride) {
  const std::size_t width = columns > lane_width ? block_columns : lane_width;
  thread_local std::vector<real> factor;
  thread_local std::vector<real> result;
  factor.assign(f.terms * width, real{0});
  for (std::size_t k = 0; k < f.terms; ++k)
    std::copy_n(f.b + k * f.b_stride, columns, factor.data() + k * width);
  result.assign(rows * width, real{0});
  if (f.onto == Onto::result)
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(out + r * stride, columns, result.data() + r * width);
  Factors padded = f;
  padded.b = factor.data();
  padded.b_stride = width;
  if (width == block_columns)
    column_block<most_column_groups>(padded, rows, result.data(), width);
  else
    column_block<1>(padded, rows, result.data(), width);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(result.data() + r * width, columns, out + r * stride);
}

}  // namespace

void multiply_matrices(real weight, const ConstMatrixView& a, const ConstMatrixView& b, Onto onto,
                       MatrixView out) {
  const auto size = [](Eigen::Index index) { return static_cast<std::size_t>(index); };
  const std::size_t rows = size(out.rows());
  const std::size_t columns = size(out.cols());
  const std::size_t stride = size(out.outerStride());
  const std::size_t whole = columns / block_columns * block_columns;
  Factors f{weight,         a.data(), size(a.outerStride()), b.data(), size(b.outerStride()),
            size(a.cols()), onto};
  for (std::size_t c = 0; c < whole; c += block_columns) {
    f.b = b.data() + c;
    column_block<most_column_groups>(f, rows, out.data() + c, stride);
  }
  if (whole == columns) return;
  f.b = b.data() + whole;
  rest(f, rows, columns - whole, out.data() + whole, stride);
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(multiply_matrices);

void portable_product(real weight, const ConstMatrixView& a, const ConstMatrixView& b, Onto onto,
                      MatrixView out) {
  HWY_DYNAMIC_DISPATCH(multiply_matrices)(weight, a, b, onto, out);
}

}  // namespace trilemma
#endif
