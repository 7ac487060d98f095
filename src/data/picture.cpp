#include "data/picture.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace trilemma {
namespace {

// The part of an axis of `pixels` pixels that one of `cells` cells covers, in units of a cell-th of
// a pixel: the first pixel, and the weight of each pixel, which sum to `pixels`.
struct Cover {
  std::size_t first;
  std::vector<std::uint64_t> weight;
};

std::vector<Cover> covers(std::size_t pixels, std::size_t cells) {
  std::vector<Cover> all;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t begin = cell * pixels;
    const std::size_t end = begin + pixels;
    Cover cover{begin / cells, {}};
    for (std::size_t pixel = cover.first; pixel * cells < end; ++pixel)
      cover.weight.push_back(std::min(end, (pixel + 1) * cells) - std::max(begin, pixel * cells));
    all.push_back(std::move(cover));
  }
  return all;
}

std::uint8_t mean_over(const std::uint8_t* plane, std::size_t width, const Cover& down,
                       const Cover& across, std::uint64_t area) {
  std::uint64_t sum = 0;
  for (std::size_t y = 0; y < down.weight.size(); ++y) {
    const std::uint8_t* row = plane + (down.first + y) * width + across.first;
    std::uint64_t of_row = 0;
    for (std::size_t x = 0; x < across.weight.size(); ++x) of_row += across.weight[x] * row[x];
    sum += down.weight[y] * of_row;
  }
  return static_cast<std::uint8_t>((sum + area / 2) / area);
}

}  // namespace

Picture resized(const Picture& image, std::size_t side) {
  expect(image.width > 0 && image.height > 0 && side > 0, "an image without pixels");
  const auto rows = covers(image.height, side);
  const auto columns = covers(image.width, side);
  const std::uint64_t area = std::uint64_t{image.width} * image.height;
  Picture out{side, side, {}};
  out.bytes.reserve(Picture::planes * side * side);
  for (std::size_t plane = 0; plane < Picture::planes; ++plane)
    for (const Cover& down : rows)
      for (const Cover& across : columns)
        out.bytes.push_back(
            mean_over(image.bytes.data() + plane * area, image.width, down, across, area));
  return out;
}

}  // namespace trilemma
