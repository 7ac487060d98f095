#pragma once
// The vocabulary that every room shares.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trilemma {

/// Scalar of the model and of the messages: float by default, double with -DTRILEMMA_REAL=double.
#if defined(TRILEMMA_REAL_DOUBLE)
using real = double;
inline constexpr const char* real_name = "float64";
#else
using real = float;
inline constexpr const char* real_name = "float32";
#endif

using Vector = std::vector<real>;
using View = std::span<real>;
using ConstView = std::span<const real>;
using Coordinates = std::span<const std::uint32_t>;
using Bytes = std::vector<std::byte>;

}  // namespace trilemma
