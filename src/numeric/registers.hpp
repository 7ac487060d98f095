// Vector registers of reals, for kernels. Like the headers of Highway, this header is read once for
// each set of vector instructions.
#if defined(TRILEMMA_REGISTERS) == defined(HWY_TARGET_TOGGLE)
#ifdef TRILEMMA_REGISTERS
#undef TRILEMMA_REGISTERS
#else
#define TRILEMMA_REGISTERS
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "base/types.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Registers = hn::ScalableTag<real>;
using Register = hn::Vec<Registers>;
constexpr std::size_t lane_width = HWY_LANES(real);

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
