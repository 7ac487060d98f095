#include "numeric/vectors.hpp"

#include <hwy/targets.h>

#include <cstdlib>

#include "core/check.hpp"
#include "core/text.hpp"

namespace trilemma {
namespace {

constexpr unsigned narrow = 128, middle = 256, wide = 512;

struct Width {
  std::int64_t targets;
  unsigned bits;
};
// All others have 128 bits.
#if HWY_ARCH_X86
constexpr Width wider[] = {{HWY_AVX3 | HWY_AVX3_DL, wide}, {HWY_AVX2, middle}};
#else
constexpr Width wider[] = {{0, narrow}};
#endif

// The best of those that the program was compiled for.
std::int64_t in_use() {
  const std::int64_t supported = HWY_SUPPORTED_TARGETS;
  // In Highway 1.0 that question makes kernels forget what has been disabled.
  hwy::GetChosenTarget().Update(supported);
  const std::int64_t usable = supported & HWY_TARGETS;
  return usable & -usable;  // better ones have lower bits
}

}  // namespace

VectorTarget vector_target() {
  const std::int64_t target = in_use();
  unsigned bits = narrow;
  for (const Width& width : wider)
    if ((width.targets & target) != 0) bits = width.bits;
  return {hwy::TargetName(target), bits};
}

void limit_vectors(unsigned bits) {
  std::int64_t disabled = 0;
  for (const Width& width : wider)
    if (bits != 0 && width.bits > bits) disabled |= width.targets;
  hwy::DisableTargets(disabled);
}

void limit_vectors_by_environment() {
  const char* const text = std::getenv("TRILEMMA_VECTOR_BITS");
  if (text == nullptr) return;
  for (const unsigned bits : {narrow, middle, wide})
    if (std::to_string(bits) == text) return limit_vectors(bits);
  throw UserError(fmt::format(
      "TRILEMMA_VECTOR_BITS = {}: set 128, 256 or 512, the bits of the widest registers to use, or "
      "unset it",
      shown(text)));
}

}  // namespace trilemma
