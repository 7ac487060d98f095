#include "problem/layers/planes.hpp"

#include <algorithm>
#include <type_traits>

namespace trilemma {
namespace {

// `planes` is the number of planes as a constant if it is the usual one.
template <class Number>
void take_pixels(Number planes, ConstView image, View pixels) {
  const std::size_t size = image.size() / planes;
  for (std::size_t p = 0; p < size; ++p)
    for (std::size_t plane = 0; plane < planes; ++plane)
      pixels[p * planes + plane] = image[plane * size + p];
}

}  // namespace

void interleave(std::size_t planes, View image, Vector& room) {
  room.resize(image.size());
  if (planes == 3)
    take_pixels(std::integral_constant<std::size_t, 3>(), image, room);
  else
    take_pixels(planes, image, room);
  std::ranges::copy(room, image.begin());
}

}  // namespace trilemma
