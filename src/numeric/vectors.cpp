#include "numeric/vectors.hpp"

#include <hwy/targets.h>

#include <cstdlib>

#include "base/check.hpp"
#include "base/text.hpp"

// These are the two functions of Highway that kernels call at run time. They are defined here
// because Highway's shared library measures the clock when a program is loaded, which takes 4 ms
// and uses an instruction that not all processors have.
namespace hwy {

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy

namespace trilemma {
namespace {

constexpr unsigned narrow = 128, middle = 256, wide = 512;

struct Width {
  std::int64_t targets;
  unsigned bits;
};
// All other targets have 128 bits.
#if HWY_ARCH_X86
constexpr Width wider[] = {{HWY_AVX3 | HWY_AVX3_DL, wide}, {HWY_AVX2, middle}};
#else
constexpr Width wider[] = {{0, narrow}};
#endif

// Returns the targets that the processor and its operating system support.
std::int64_t detected() {
  std::int64_t found = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul"))
    found |= HWY_AVX2;
  if ((found & HWY_AVX2) != 0 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
    found |= HWY_AVX3;
#endif
  return found;
}

std::int64_t disabled = 0;

}  // namespace

VectorTarget vector_target() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  // Better targets have lower bits. A program compiled for a single processor has no other choice.
  const std::int64_t target = usable == 0 ? HWY_STATIC_TARGET : usable & -usable;
  unsigned bits = narrow;
  for (const Width& width : wider)
    if ((width.targets & target) != 0) bits = width.bits;
  return {hwy::TargetName(target), bits};
}

void limit_vectors(unsigned bits) {
  disabled = 0;
  for (const Width& width : wider)
    if (bits != 0 && width.bits > bits) disabled |= width.targets;
  hwy::GetChosenTarget().DeInit();
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

std::int64_t hwy::SupportedTargets() {
  static const std::int64_t all = trilemma::detected();
  const std::int64_t allowed = all & ~trilemma::disabled;
  return allowed == 0 ? HWY_STATIC_TARGET : allowed;
}
