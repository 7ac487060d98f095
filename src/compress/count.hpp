#pragma once
// Shared by compressors that send k of d coordinates.

#include "compress/compressor.hpp"

namespace trilemma {

/// Number of coordinates in a message: k, or d / divisor for vectors of length d if k = 0.
struct CountOptions {
  long k = 0;
  long divisor = 20;
  void read(Reader& r);
  /// Returns this number, at least 1, for vectors of length `dimension`. Throws UserError, with the
  /// place of k in `settings`, if k is larger than `dimension`.
  std::size_t count(std::size_t dimension, const Settings& settings) const;
};

/// Returns `key` with a fixed value in place of the client: the address of masks that all clients
/// of a round share.
inline Key shared_mask(const Key& key) {
  Key shared = key;
  shared.client = 0xFFFFFFFFU;
  return shared;
}

/// Returns d / k, the factor that makes sending k of d coordinates unbiased.
inline double one_in(const Layout& layout) {
  return static_cast<double>(layout.dimension) / static_cast<double>(layout.count);
}

/// Returns the traits of a compressor that sends each coordinate with probability 1 / gain, scaled
/// by `gain`, and rounds it to the layout's values: E||C(z)-z||^2 = (gain - 1)||z||^2 before
/// rounding.
CompressorTraits sparse_traits(const Layout& layout, double gain);

/// Returns the traits of a compressor that sends one in `one_in` coordinates unscaled:
/// E||C(z)-z||^2 = (1 - 1/one_in)||z||^2 before rounding.
CompressorTraits unscaled_traits(const Layout& layout, double one_in);

/// Reads the code of coordinates that the receiver cannot draw.
void read_index_code(Reader& r, IndexCode& code);
/// Returns a suffix for descriptions, such as ", natural values"; empty for float32 and float64.
std::string format_note(ValueFormat format);
/// Returns the name of `code` in descriptions.
const char* name_of(IndexCode code);

}  // namespace trilemma
