#include "data/idx.hpp"

#include <zlib.h>

#include <filesystem>
#include <memory>

#include "core/check.hpp"

namespace trilemma {
namespace {

// A plain or gzip file; zlib reads both.
class ByteSource {
 public:
  explicit ByteSource(const std::string& file)
      : name_(file), file_(gzopen(file.c_str(), "rb"), gzclose) {
    require(std::filesystem::is_regular_file(file) && file_ != nullptr,
            "{}: no such data file; `scripts/get-data` downloads the known ones, or set --data-dir",
            file);
    gzbuffer(file_.get(), 1U << 18U);
  }

  void read(std::uint8_t* to, std::size_t count) {
    while (count > 0) {
      const auto chunk = static_cast<unsigned>(std::min<std::size_t>(count, 1U << 24U));
      const int got = gzread(file_.get(), to, chunk);
      int code = Z_OK;
      const char* reason = gzerror(file_.get(), &code);
      require(got >= 0 && (code == Z_OK || code == Z_STREAM_END),
              "{}: cannot be inflated ({}); fetch it again", name_, reason);
      require(got > 0, "{}: the file ends too early (truncated); fetch it again", name_);
      to += got;
      count -= static_cast<std::size_t>(got);
    }
  }

  std::uint32_t big_endian() {
    std::uint8_t b[4];
    read(b, 4);
    return (std::uint32_t{b[0]} << 24U) | (std::uint32_t{b[1]} << 16U) |
           (std::uint32_t{b[2]} << 8U) | b[3];
  }

  void magic(std::uint32_t wanted, const char* kind) {
    const std::uint32_t found = big_endian();
    require(found == wanted, "{}: magic number 0x{:08x}, but {} have 0x{:08x}; is it another file?",
            name_, found, kind, wanted);
  }

  void end() {
    std::uint8_t extra = 0;
    const int got = gzread(file_.get(), &extra, 1);
    require(got >= 0, "{}: cannot be inflated (wrong checksum); fetch it again", name_);
    require(got == 0, "{}: more bytes than its header says; fetch it again", name_);
  }

 private:
  std::string name_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

Dataset read_idx(const std::string& images, const std::string& labels, std::size_t features,
                 int classes) {
  ByteSource pixels(images);
  pixels.magic(0x803, "IDX images");
  const std::size_t count = pixels.big_endian();
  const std::size_t height = pixels.big_endian();
  const std::size_t width = pixels.big_endian();
  require(height * width == features, "{}: images of {} x {} pixels, but data.features = {}",
          images, height, width, features);
  require(count > 0, "{}: no image in the file; fetch it again", images);
  ByteSource marks(labels);
  marks.magic(0x801, "IDX labels");
  const std::size_t label_count = marks.big_endian();
  require(label_count == count,
          "{}: {} labels for the {} images of {}; the files do not belong together", labels,
          label_count, count, images);
  DenseRows rows;
  rows.columns = features;
  rows.byte.resize(count * features);
  pixels.read(rows.byte.data(), rows.byte.size());
  pixels.end();
  std::vector<std::uint8_t> raw(count);
  marks.read(raw.data(), count);
  marks.end();
  Dataset data;
  data.classes = classes;
  data.label.assign(raw.begin(), raw.end());
  for (std::size_t i = 0; i < count; ++i)
    require(raw[i] < classes, "{}: label {} at position {}, but data.classes = {}", labels, raw[i],
            i, classes);
  data.rows = std::move(rows);
  return data;
}

}  // namespace trilemma
