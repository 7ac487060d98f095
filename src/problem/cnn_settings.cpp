#include "problem/cnn_settings.hpp"

#include <cmath>

#include "base/text.hpp"

namespace trilemma {

void CnnSettings::read(Reader& r) {
  r("channels", channels, {.low = 1, .high = 1e4},
    "maps of the convolutions, each followed by ReLU and 2 x 2 max pooling");
  r("kernel", kernel, {.low = 1, .high = 99}, "side of a kernel in pixels");
  r("padding", padding, {.low = 0, .high = 99}, "zeros around the image, on every side");
  r("colours", colours, {.low = 0, .high = 99},
    "planes of an image, one after the other in the features of a record; 0 = 1 or 3, whichever "
    "makes the image square");
  decay.read(r);
  low.read(r, channels.size() + 1);
}

std::optional<SquareImage> square_image(std::size_t features, std::size_t colours) {
  const std::vector<std::size_t> choices =
      colours > 0 ? std::vector{colours} : std::vector<std::size_t>{1, 3};
  for (const std::size_t planes : choices) {
    const auto side = static_cast<std::size_t>(
        std::lround(std::sqrt(static_cast<double>(features) / static_cast<double>(planes))));
    if (side * side * planes == features) return SquareImage{side, planes};
  }
  return {};
}

std::string planes_in_words(std::size_t colours) {
  return colours > 0 ? counted(colours, "plane") : "1 or 3 planes";
}

SquareImage image_shape(const Settings& settings, const CnnSettings& s, const DataShape& shape) {
  const auto image = square_image(shape.features, s.colours);
  if (!image)
    settings.refuse("colours",
                    fmt::format("{} features are not a square image with {}; choose images, or "
                                "another number of planes",
                                shape.features, planes_in_words(s.colours)));
  std::size_t left = image->side;
  for (std::size_t layer = 0; layer < s.channels.size(); ++layer) {
    const std::size_t padded = left + 2 * s.padding;
    left = padded < s.kernel ? 0 : (padded - s.kernel + 1) / 2;
    if (left == 0)
      settings.refuse("channels", fmt::format("layer {} has no pixels left; lower problem.kernel, "
                                              "raise problem.padding, or take fewer layers",
                                              layer + 1));
  }
  return *image;
}

}  // namespace trilemma
