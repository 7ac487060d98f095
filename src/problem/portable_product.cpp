#include "problem/portable_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/portable_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;
constexpr std::size_t lane_width = HWY_MAX_BYTES / sizeof(real);

// A block of the result that stays in registers.
constexpr std::size_t block_rows = 4;
constexpr std::size_t groups = 2;
constexpr std::size_t block_columns = groups * lane_width;

struct Factors {
  real weight;
  const real* a;
  std::size_t a_stride;
  const real* b;
  std::size_t b_stride;
  std::size_t terms;
  Onto onto;
};

template <std::size_t rows>
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

// Columns that do not fill a block, one by one, with the same roundings.
HWY_INLINE void rest(const Factors& f, std::size_t rows, std::size_t columns, real* out,
                     std::size_t stride) {
  const hn::CappedTag<real, 1> one;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      auto sum = hn::Zero(one);
      for (std::size_t k = 0; k < f.terms; ++k)
        sum = hn::MulAdd(hn::Set(one, f.a[r * f.a_stride + k]),
                         hn::Set(one, f.b[k * f.b_stride + c]), sum);
      real* const to = out + r * stride + c;
      const auto before = hn::Set(one, f.onto == Onto::result ? *to : real{0});
      *to = hn::GetLane(hn::MulAdd(hn::Set(one, f.weight), sum, before));
    }
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
  for (std::size_t r = 0; r < rows; r += block_rows) {
    const std::size_t here = std::min(block_rows, rows - r);
    f.a = a.data() + r * f.a_stride;
    real* const to = out.data() + r * stride;
    for (std::size_t c = 0; c < whole; c += block_columns) {
      f.b = b.data() + c;
      if (here == block_rows) {
        block<block_rows>(f, to + c, stride);
      } else {
        for (std::size_t i = 0; i < here; ++i) {
          Factors single = f;
          single.a += i * f.a_stride;
          block<1>(single, to + i * stride + c, stride);
        }
      }
    }
    f.b = b.data() + whole;
    rest(f, here, columns - whole, to + whole, stride);
  }
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
