#pragma once
// Constants that decide which pairs of normal numbers get extra bits for the tail; see normals().

#include <cstdint>

namespace trilemma {

/// Words below this value resolve the tail of the law too coarsely: extra bits follow them.
inline constexpr std::uint32_t tail_words = std::uint32_t{1} << 16U;

/// Bits set in the purpose of a key to address the extra bits; no other number of the key uses
/// them.
inline constexpr std::uint32_t tail_flag = 0x80000000U;

}  // namespace trilemma
