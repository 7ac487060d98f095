#pragma once
// Values as the wire carries them.

#include <vector>

#include "numeric/random.hpp"
#include "wire/layout.hpp"

namespace trilemma {

/// What rounding to a format does to a vector v of `entries` values: nothing to float32 and float64
/// beyond the precision of arithmetic; else it is random and unbiased.
struct RoundingTraits {
  double omega;  ///< E||R(v) - v||^2 <= omega ||v||^2
  double gain;   ///< ||R(v)|| <= gain ||v||
};
RoundingTraits rounding_traits(ValueFormat format, std::size_t entries);

/// Rounds values to numbers of a format, so that both ends continue with the same ones. Each goes
/// to one of its two neighbours with the probability that keeps its mean; which, is number i of the
/// key's rounding stream for value i. float32 and float64 take the nearest.
class Rounding {
 public:
  void operator()(ValueFormat format, const Key& key, View values);

 private:
  std::vector<std::uint32_t> words_;
};

/// The key of what is drawn besides the mask.
inline Key rounding_key(const Key& mask) {
  Key key = mask;
  key.purpose = Purpose::rounding;
  return key;
}

/// Draws word i for value i of a vector of so many, into `words`.
void rounding_words(const Key& mask, std::size_t count, std::vector<std::uint32_t>& words);

}  // namespace trilemma
