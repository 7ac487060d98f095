#include "problem/convolution.hpp"

#include <algorithm>
#include <cstddef>

namespace trilemma {
namespace {

// Calls visit(first value of a run in the image, first value in the patches, length) for the pixels
// of one kernel row that lie inside of the image: they are neighbours in both.
template <class Visit>
void each_run(const Convolution& c, Visit&& visit) {
  using Signed = std::ptrdiff_t;
  const auto padding = static_cast<Signed>(c.padding);
  const auto width = static_cast<Signed>(c.width);
  for (std::size_t i = 0; i < c.out_height(); ++i)
    for (std::size_t j = 0; j < c.out_width(); ++j)
      for (std::size_t k = 0; k < c.kernel; ++k) {
        const Signed row = static_cast<Signed>(i + k) - padding;
        if (row < 0 || row >= static_cast<Signed>(c.height)) continue;
        const Signed left = static_cast<Signed>(j) - padding;
        const Signed first = std::max<Signed>(0, left);
        const Signed last = std::min(width, left + static_cast<Signed>(c.kernel));
        if (last <= first) continue;
        const std::size_t patch = (i * c.out_width() + j) * c.patch_size();
        visit(static_cast<std::size_t>(row * width + first) * c.inputs,
              patch + (k * c.kernel + static_cast<std::size_t>(first - left)) * c.inputs,
              static_cast<std::size_t>(last - first) * c.inputs);
      }
}

// Calls visit(number of the pooled value, places of its block in the maps) for each pooled value.
template <class Visit>
void each_block(const Convolution& c, Visit&& visit) {
  const std::size_t across = c.out_width() * c.outputs;
  for (std::size_t i = 0; i < c.pooled_height(); ++i)
    for (std::size_t j = 0; j < c.pooled_width(); ++j)
      for (std::size_t o = 0; o < c.outputs; ++o) {
        const std::size_t corner = 2 * i * across + 2 * j * c.outputs + o;
        const std::size_t places[] = {corner, corner + c.outputs, corner + across,
                                      corner + across + c.outputs};
        visit((i * c.pooled_width() + j) * c.outputs + o, places);
      }
}

}  // namespace

void gather_patches(const Convolution& c, ConstView image, View patches) {
  if (c.padding > 0) std::fill(patches.begin(), patches.end(), real{0});
  each_run(c, [&](std::size_t from, std::size_t to, std::size_t length) {
    std::copy_n(image.data() + from, length, patches.data() + to);
  });
}

void scatter_patches(const Convolution& c, ConstView patches, View image) {
  each_run(c, [&](std::size_t to, std::size_t from, std::size_t length) {
    for (std::size_t v = 0; v < length; ++v) image[to + v] += patches[from + v];
  });
}

void pool(const Convolution& c, ConstView maps, View out) {
  each_block(c, [&](std::size_t number, const std::size_t(&places)[4]) {
    real largest{0};
    for (const std::size_t place : places) largest = std::max(largest, maps[place]);
    out[number] = largest;
  });
}

void unpool(const Convolution& c, ConstView pooled_errors, View maps) {
  // Rows and columns that pooling has dropped have no part in the loss.
  if (c.out_height() % 2 != 0 || c.out_width() % 2 != 0)
    for (std::size_t i = 0; i < c.out_height(); ++i)
      for (std::size_t j = 0; j < c.out_width(); ++j)
        if (i >= 2 * c.pooled_height() || j >= 2 * c.pooled_width())
          std::fill_n(
              maps.begin() + static_cast<std::ptrdiff_t>((i * c.out_width() + j) * c.outputs),
              c.outputs, real{0});
  each_block(c, [&](std::size_t number, const std::size_t(&places)[4]) {
    std::size_t best = places[0];
    for (const std::size_t place : places)
      if (maps[place] > maps[best]) best = place;
    const real error = maps[best] > real{0} ? pooled_errors[number] : real{0};
    for (const std::size_t place : places) maps[place] = real{0};
    maps[best] = error;
  });
}

}  // namespace trilemma
