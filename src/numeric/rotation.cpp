#include "numeric/rotation.hpp"

#include <bit>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/rotation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

// Applies the Hadamard transform times `share` to v, whose length is a power of two.
template <class T>
HWY_INLINE void transform(std::span<T> v, T share) {
  for (std::size_t half = 1; half < v.size(); half *= 2)
    for (std::size_t first = 0; first < v.size(); first += 2 * half)
      for (std::size_t j = first; j < first + half; ++j) {
        const T a = v[j];
        const T b = v[j + half];
        v[j] = a + b;
        v[j + half] = a - b;
      }
  for (auto& value : v) value *= share;
}
void transformed_floats(std::span<float> v, float share) { transform(v, share); }
void transformed_doubles(std::span<double> v, double share) { transform(v, share); }

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(transformed_floats);
HWY_EXPORT(transformed_doubles);

namespace {

std::vector<std::int8_t> signs(std::uint64_t seed, std::uint32_t number, std::size_t dimension) {
  std::vector<std::uint32_t> words((dimension + 31) / 32);
  random_words({seed, Purpose::rotation, number, 0}, 0, words);
  std::vector<std::int8_t> found(dimension);
  for (std::size_t j = 0; j < dimension; ++j)
    found[j] = (words[j / 32] >> (j % 32) & 1U) != 0 ? std::int8_t{-1} : std::int8_t{1};
  return found;
}

template <class T>
void turn_signs(std::span<T> v, const std::vector<std::int8_t>& sign) {
  for (std::size_t j = 0; j < v.size(); ++j) v[j] *= static_cast<T>(sign[j]);
}

// Applies the orthonormal Hadamard transform, which is its own inverse, to v, whose length is a
// power of two.
template <class T>
void turn(std::span<T> v) {
  const auto share = static_cast<T>(1.0 / std::sqrt(static_cast<double>(v.size())));
  if constexpr (std::is_same_v<T, float>)
    HWY_DYNAMIC_DISPATCH(transformed_floats)(v, share);
  else
    HWY_DYNAMIC_DISPATCH(transformed_doubles)(v, share);
}

}  // namespace

Rotation::Rotation(std::uint64_t seed, std::size_t dimension)
    : block_(std::bit_floor(dimension)),
      sign_{signs(seed, 0, dimension), signs(seed, 1, dimension)} {}

void Rotation::apply(std::span<float> v) const { turn_twice(v); }
void Rotation::apply(std::span<double> v) const { turn_twice(v); }

template <class T>
void Rotation::turn_twice(std::span<T> v) const {
  turn_signs(v, sign_[0]);
  turn(v.first(block_));
  turn_signs(v, sign_[1]);
  turn(v.last(block_));
}

void Rotation::undo(std::span<double> v) const {
  turn(v.last(block_));
  turn_signs(v, sign_[1]);
  turn(v.first(block_));
  turn_signs(v, sign_[0]);
}

}  // namespace trilemma
#endif
