#pragma once
// Random rounding of values to the format of messages.

#include <vector>

#include "numeric/random.hpp"
#include "wire/layout.hpp"

namespace trilemma {

/// Effect of rounding a vector v to a format: none for float32 and float64 beyond the precision of
/// arithmetic; random and unbiased for other formats.
struct RoundingTraits {
  double omega;  ///< E||R(v) - v||^2 <= omega ||v||^2
  double gain;   ///< ||R(v)|| <= gain ||v||
};
/// Returns the traits of rounding `entries` values to `format`.
RoundingTraits rounding_traits(ValueFormat format, std::size_t entries);

/// Rounds values to numbers of a format, so that both ends continue with the same numbers. Each
/// value goes to one of its two neighbours with the probability that keeps its mean; value i uses
/// number i of the key's rounding stream. float32 and float64 round to nearest.
class Rounding {
 public:
  void operator()(ValueFormat format, const Key& key, View values);

 private:
  std::vector<std::uint32_t> words_;
};

/// Returns the key of random numbers other than the mask.
inline Key rounding_key(const Key& mask) {
  Key key = mask;
  key.purpose = Purpose::rounding;
  return key;
}

/// Draws `count` words into `words`; word i belongs to value i.
void rounding_words(const Key& mask, std::size_t count, std::vector<std::uint32_t>& words);

}  // namespace trilemma
