#include "compress/rotation.hpp"

#include <bit>
#include <cmath>

#include "compress/lanes.hpp"

namespace trilemma {
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
  hadamard(v, static_cast<T>(1.0 / std::sqrt(static_cast<double>(v.size()))));
}

}  // namespace

Rotation::Rotation(std::uint64_t seed, std::size_t dimension)
    : block_(std::bit_floor(dimension)),
      sign_{signs(seed, 0, dimension), signs(seed, 1, dimension)} {}

void Rotation::apply(View v) const {
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
