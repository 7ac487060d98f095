#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// A colour image: its red, green and blue plane one after the other, each row by row.
struct Picture {
  static constexpr std::size_t planes = 3;
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> bytes;
};

/// Decodes a JPEG image; a grey one becomes three equal planes. Refuses, naming `place`: content
/// that is no JPEG image, damaged or cut off content, images of other colours than grey or RGB, and
/// images of more than 2^24 pixels.
Picture read_jpeg(const std::string& place, std::string_view content);

/// Returns the image in side x side pixels. A pixel is the mean of the area of the image that it
/// covers, rounded; the areas divide pixels of the image where its extents are not multiples of
/// `side`.
Picture resized(const Picture& image, std::size_t side);

}  // namespace trilemma
