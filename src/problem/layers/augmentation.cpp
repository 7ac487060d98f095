#include "problem/layers/augmentation.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace trilemma {
namespace {

// Returns a number on {0, ..., bound - 1}; its probabilities differ by less than 2^-32.
std::size_t below(std::uint32_t word, std::size_t bound) {
  return static_cast<std::size_t>((std::uint64_t{word} * bound) >> 32U);
}

// `planes` is the number of planes as a constant if it is the usual one.
template <class Number>
void take_pixels(Number planes, ConstView image, View pixels) {
  const std::size_t size = image.size() / planes;
  for (std::size_t p = 0; p < size; ++p)
    for (std::size_t plane = 0; plane < planes; ++plane)
      pixels[p * planes + plane] = image[plane * size + p];
}

}  // namespace

void augment(const Augmentation& how, const ImagePlanes& shape, ConstView fill, const Key& key,
             std::uint32_t record, View image) {
  Key own = key;
  own.purpose = Purpose::augmentation;
  std::array<std::uint32_t, 4> words{};
  philox_block(own, record, words.data());
  const std::size_t room = 2 * how.crop + 1;
  // The pixel (i, j) is the pixel (i + down, j + right) in the frame.
  const std::size_t down = below(words[0], room);
  const std::size_t right = below(words[1], room);
  const bool is_mirrored = how.flips && below(words[2], 2) == 1;
  const std::size_t side = shape.side;
  const auto is_inside = [&](std::size_t at) { return at >= how.crop && at < how.crop + side; };
  static thread_local Vector before;
  before.assign(image.begin(), image.end());
  for (std::size_t plane = 0; plane < shape.planes; ++plane)
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        const std::size_t row = i + down;
        const std::size_t column = (is_mirrored ? side - 1 - j : j) + right;
        image[(plane * side + i) * side + j] =
            is_inside(row) && is_inside(column)
                ? before[(plane * side + row - how.crop) * side + column - how.crop]
                : fill[plane];
      }
}

void interleave(std::size_t planes, View image, Vector& room) {
  room.resize(image.size());
  if (planes == 3)
    take_pixels(std::integral_constant<std::size_t, 3>(), image, room);
  else
    take_pixels(planes, image, room);
  std::ranges::copy(room, image.begin());
}

}  // namespace trilemma
