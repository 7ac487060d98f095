#include "tests/support/archives.hpp"

#include <png.h>
#include <zip.h>

#include <stdexcept>

#include "tests/support/temp.hpp"

namespace trilemma::testing {

void write_zip(const std::string& path,
               const std::vector<std::pair<std::string, std::string>>& files) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("cannot write " + path);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    if (zip_file_add(archive, name.c_str(), source, 0) < 0) throw std::runtime_error(name);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("cannot write " + path);
}

std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& files) {
  const TempFolder folder;
  write_zip(folder.at("a.zip"), files);
  const auto bytes = bytes_of(folder.at("a.zip"));
  return {bytes.begin(), bytes.end()};
}

std::string png(const std::vector<std::uint8_t>& pixels, std::size_t width) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(pixels.size() / width);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = 0;
  png_image_write_get_memory_size(image, size, 0, pixels.data(), 0, nullptr);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  out.resize(size);
  return out;
}

}  // namespace trilemma::testing
