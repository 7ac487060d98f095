#include "tests/support/archives.hpp"

// clang-format off: jpeglib.h needs <cstdio>.
#include <jpeglib.h>
#include <png.h>
#include <zip.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
// clang-format on

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

std::string jpeg(const std::vector<std::uint8_t>& pixels, std::size_t width, int samples) {
  jpeg_compress_struct image{};
  jpeg_error_mgr errors{};
  image.err = jpeg_std_error(&errors);
  jpeg_create_compress(&image);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&image, &bytes, &size);
  const std::size_t row_size = width * static_cast<std::size_t>(samples);
  image.image_width = static_cast<JDIMENSION>(width);
  image.image_height = static_cast<JDIMENSION>(pixels.size() / row_size);
  image.input_components = samples;
  image.in_color_space = samples == 1 ? JCS_GRAYSCALE : samples == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&image);
  jpeg_set_quality(&image, 100, TRUE);
  jpeg_start_compress(&image, TRUE);
  for (std::size_t at = 0; at < pixels.size(); at += row_size) {
    auto* row = const_cast<JSAMPROW>(pixels.data() + at);
    jpeg_write_scanlines(&image, &row, 1);
  }
  jpeg_finish_compress(&image);
  const std::string out(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&image);
  std::free(bytes);
  return out;
}

}  // namespace trilemma::testing
