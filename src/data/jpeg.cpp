// JPEG images (libjpeg). The library's own handler of errors ends the process; here it jumps back
// to the caller, past frames of the library alone.

// clang-format off: the headers of the library need <cstdio>, and its errors need the library.
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstddef>
#include <cstdio>
// clang-format on

#include "base/check.hpp"
#include "data/picture.hpp"

namespace trilemma {
namespace {

constexpr std::size_t most_pixels = std::size_t{1} << 24U;

// Errors of one image. `base` comes first, since the library knows its address only.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  bool is_damaged = false;
  char reason[JMSG_LENGTH_MAX] = "";
};

JpegErrors& errors_of(j_common_ptr image) { return *reinterpret_cast<JpegErrors*>(image->err); }

[[noreturn]] void jump_back(j_common_ptr image) {
  JpegErrors& errors = errors_of(image);
  errors.is_damaged = true;
  errors.base.format_message(image, errors.reason);
  std::longjmp(errors.back, 1);
}

// Notes the first warning of damage. Bytes between markers and odd versions of headers are
// harmless.
void note_warning(j_common_ptr image, int level) {
  JpegErrors& errors = errors_of(image);
  const int code = errors.base.msg_code;
  const bool is_harmless =
      code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (level >= 0 || is_harmless || errors.is_damaged) return;
  errors.is_damaged = true;
  errors.base.format_message(image, errors.reason);
}

void print_nothing(j_common_ptr /*image*/) {}

// A decoder with the buffers that its functions fill. Every function that calls the library sets
// the place to jump back to, and has no object with a destructor.
class JpegDecoder {
 public:
  explicit JpegDecoder(std::string_view content) : content_(content) {
    image_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = jump_back;
    errors_.base.emit_message = note_warning;
    errors_.base.output_message = print_nothing;
  }
  ~JpegDecoder() {
    if (is_made_) jpeg_destroy_decompress(&image_);
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Each returns whether the library has reported no error.
  bool read_header() {
    if (setjmp(errors_.back) != 0) return false;  // NOLINT(cert-err52-cpp)
    jpeg_create_decompress(&image_);
    is_made_ = true;
    jpeg_mem_src(&image_, reinterpret_cast<const unsigned char*>(content_.data()),
                 static_cast<unsigned long>(content_.size()));
    jpeg_read_header(&image_, TRUE);
    return true;
  }
  bool start() {
    if (setjmp(errors_.back) != 0) return false;  // NOLINT(cert-err52-cpp)
    image_.out_color_space = is_grey() ? JCS_GRAYSCALE : JCS_RGB;
    image_.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&image_);
    return true;
  }
  // Reads one row of samples.
  bool read_row(std::uint8_t* to) {
    if (setjmp(errors_.back) != 0) return false;  // NOLINT(cert-err52-cpp)
    JSAMPROW row = to;
    jpeg_read_scanlines(&image_, &row, 1);
    return true;
  }
  bool finish() {
    if (setjmp(errors_.back) != 0) return false;  // NOLINT(cert-err52-cpp)
    jpeg_finish_decompress(&image_);
    return true;
  }

  std::size_t width() const { return image_.image_width; }
  std::size_t height() const { return image_.image_height; }
  bool is_grey() const { return image_.jpeg_color_space == JCS_GRAYSCALE; }
  bool has_known_colours() const {
    return is_grey() || image_.jpeg_color_space == JCS_YCbCr || image_.jpeg_color_space == JCS_RGB;
  }
  bool is_damaged() const { return errors_.is_damaged; }
  const char* reason() const { return errors_.reason; }

 private:
  std::string_view content_;
  JpegErrors errors_{};
  jpeg_decompress_struct image_{};
  bool is_made_ = false;
};

void require_sound(bool is_good, const JpegDecoder& decoder, const std::string& place) {
  require(is_good && !decoder.is_damaged(), "{}: cannot be decoded ({}); fetch it again", place,
          decoder.reason());
}

}  // namespace

Picture read_jpeg(const std::string& place, std::string_view content) {
  require(content.starts_with("\xff\xd8"), "{}: not a JPEG image; is it another file?", place);
  JpegDecoder decoder(content);
  require_sound(decoder.read_header(), decoder, place);
  const std::size_t width = decoder.width(), height = decoder.height(), size = width * height;
  require(size <= most_pixels, "{}: {} x {} pixels, more than the {} that are read; shrink it",
          place, width, height, most_pixels);
  require(decoder.has_known_colours(), "{}: neither grey nor RGB; convert it", place);
  require_sound(decoder.start(), decoder, place);
  const std::size_t samples = decoder.is_grey() ? 1 : Picture::planes;
  Picture image{width, height, std::vector<std::uint8_t>(Picture::planes * size)};
  std::vector<std::uint8_t> row(samples * width);
  for (std::size_t y = 0; y < height; ++y) {
    require_sound(decoder.read_row(row.data()), decoder, place);
    for (std::size_t plane = 0; plane < Picture::planes; ++plane) {
      std::uint8_t* to = image.bytes.data() + plane * size + y * width;
      const std::size_t first = decoder.is_grey() ? 0 : plane;
      for (std::size_t x = 0; x < width; ++x) to[x] = row[x * samples + first];
    }
  }
  require_sound(decoder.finish(), decoder, place);
  return image;
}

}  // namespace trilemma
