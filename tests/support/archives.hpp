#pragma once
// Archives and images made by tests.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trilemma::testing {

/// Writes a ZIP archive with these files (name, content), deflated.
void write_zip(const std::string& path,
               const std::vector<std::pair<std::string, std::string>>& files);

/// The bytes of such an archive.
std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& files);

/// A grey image as PNG.
std::string png(const std::vector<std::uint8_t>& pixels, std::size_t width);

/// An image as JPEG of the highest quality: `samples` by pixel, 1 = grey, 3 = RGB, 4 = CMYK, one
/// pixel after the other.
std::string jpeg(const std::vector<std::uint8_t>& pixels, std::size_t width, int samples);

}  // namespace trilemma::testing
