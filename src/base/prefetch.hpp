#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace trilemma {

/// Prefetches the first 4 KiB of `values` into the cache; the hardware prefetcher goes on from
/// there.
template <class T>
void prefetch_lines(std::span<const T> values) {
  constexpr std::size_t line = 64, most = 4096;
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  for (std::size_t b = 0; b < std::min(values.size_bytes(), most); b += line)
    __builtin_prefetch(bytes + b);
}

}  // namespace trilemma
