#include "problem/cnn_settings.hpp"

#include <cmath>

namespace trilemma {

void CnnSettings::read(Reader& r) {
  r("channels", channels, {.low = 1, .high = 1e4},
    "maps of the convolutions, each followed by ReLU and 2 x 2 max pooling");
  r("kernel", kernel, {.low = 1, .high = 99}, "side of a kernel in pixels");
  r("padding", padding, {.low = 0, .high = 99}, "zeros around the image, on every side");
  r("colours", colours, {.low = 1, .high = 99},
    "planes of an image, one after the other in the features of a record");
  decay.read(r);
  low.read(r, channels.size() + 1);
}

std::size_t image_side(const Settings& settings, const CnnSettings& s, const DataShape& shape) {
  const auto side = static_cast<std::size_t>(
      std::lround(std::sqrt(static_cast<double>(shape.features) / static_cast<double>(s.colours))));
  if (side * side * s.colours != shape.features)
    settings.refuse(
        "colours",
        fmt::format(
            "{} features are not a square image with this number of planes; choose images, or "
            "another number",
            shape.features));
  std::size_t left = side;
  for (std::size_t layer = 0; layer < s.channels.size(); ++layer) {
    const std::size_t padded = left + 2 * s.padding;
    left = padded < s.kernel ? 0 : (padded - s.kernel + 1) / 2;
    if (left == 0)
      settings.refuse("channels", fmt::format("layer {} has no pixels left; lower problem.kernel, "
                                              "raise problem.padding, or take fewer layers",
                                              layer + 1));
  }
  return side;
}

}  // namespace trilemma
