#include "compress/sparsifier.hpp"

#include <limits>

namespace trilemma {

void Sparsifier::compress(ConstView z, const Key& key, Message& out) {
  select(z, out.index);
  out.value.resize(out.index.size());
  for (std::size_t i = 0; i < out.index.size(); ++i) out.value[i] = z[out.index[i]];
  rounding_(layout_.value, key, out.value);
}

// The coordinates that are sent and those that are dropped are orthogonal, so their errors add up.
CompressorTraits Sparsifier::biased_traits(double delta) const {
  const RoundingTraits rounding = rounding_traits(layout_.value, layout_.count);
  return {.unbiased = false,
          .omega = std::numeric_limits<double>::quiet_NaN(),
          .gain = rounding.gain,
          .share = layout_.varies ? 1.0
                                  : static_cast<double>(layout_.count) /
                                        static_cast<double>(layout_.dimension),
          .chooses_coordinates = true,
          .delta = std::max(0.0, delta - rounding.omega)};
}

}  // namespace trilemma
