#pragma once

#include <cstddef>

namespace trilemma {

/// Bytes in a vector register of the processor that is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

}  // namespace trilemma
