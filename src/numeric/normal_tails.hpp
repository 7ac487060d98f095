#pragma once
// Which pairs of normal numbers get bits of their own for the tail of the law: see normals().

#include <cstdint>

namespace trilemma {

/// Words below this are too few to stand for a tail of the law: more bits follow them.
inline constexpr std::uint32_t tail_words = std::uint32_t{1} << 16U;

/// In the purpose of a key it takes these bits out of the way of all other numbers of the key.
inline constexpr std::uint32_t tail_flag = 0x80000000U;

}  // namespace trilemma
