#pragma once
// Basic types shared by all rooms.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace trilemma {

/// Scalar type of models and messages: float by default, double with -DTRILEMMA_REAL=double.
#if defined(TRILEMMA_REAL_DOUBLE)
using real = double;
inline constexpr const char* real_name = "float64";
#else
using real = float;
inline constexpr const char* real_name = "float32";
#endif

/// Allocates memory aligned to cache lines, so that rows of matrices do not straddle two of them.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  CacheLineAllocator() = default;
  template <class U>
  explicit(false) CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

using Vector = std::vector<real, CacheLineAllocator<real>>;
using View = std::span<real>;
using ConstView = std::span<const real>;
using Coordinates = std::span<const std::uint32_t>;
using Bytes = std::vector<std::byte>;

}  // namespace trilemma
