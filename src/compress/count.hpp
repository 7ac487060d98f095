#pragma once
// What compressors share that send k of d coordinates.

#include "compress/compressor.hpp"

namespace trilemma {

/// Reads k, the number of coordinates in a message, for a vector of `dimension`.
std::size_t read_count(Settings& s, std::size_t dimension);

/// Takes the place of a client in the address of masks that all clients of a round share.
inline Key shared_mask(const Key& key) {
  Key shared = key;
  shared.client = 0xFFFFFFFFU;
  return shared;
}

/// d / k: the factor that makes k coordinates of d unbiased.
inline double one_in(const Layout& layout) {
  return static_cast<double>(layout.dimension) / static_cast<double>(layout.count);
}

/// Of compressors that send each coordinate with probability 1 / gain, scaled by gain, and round it
/// to the layout's values: E||C(z)-z||^2 = (gain - 1)||z||^2 before rounding.
CompressorTraits sparse_traits(const Layout& layout, double gain);

/// Of those that send one coordinate in `one_in` as it is: E||C(z)-z||^2 = (1 - 1/one_in)||z||^2
/// before rounding.
CompressorTraits unscaled_traits(const Layout& layout, double one_in);

/// How the coordinates travel that the receiver cannot draw.
IndexCode read_index_code(Settings& s);
/// For descriptions: ", natural values", say; nothing for float32 and float64.
std::string format_note(ValueFormat format);
/// Its name in descriptions.
const char* name_of(IndexCode code);

}  // namespace trilemma
