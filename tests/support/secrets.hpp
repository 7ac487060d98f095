#pragma once
// Secrets that a test can repeat.

#include <array>
#include <memory>
#include <numeric>

#include "numeric/secret.hpp"

namespace trilemma::testing {

/// The secret of bytes first, first + 1, ..., first + 31.
inline std::unique_ptr<Secret> fixed_secret(std::uint8_t first) {
  std::array<std::uint8_t, Secret::size> bytes{};
  std::iota(bytes.begin(), bytes.end(), first);
  return std::make_unique<Secret>(bytes);
}

}  // namespace trilemma::testing
