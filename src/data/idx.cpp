#include "data/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "data/data_file.hpp"

namespace trilemma {
namespace {

// A plain or gzip file; zlib reads both.
class ByteSource {
 public:
  explicit ByteSource(const std::string& file)
      : name_(file), size_(data_file_size(file)), file_(gzopen(file.c_str(), "rb"), gzclose) {
    require(file_ != nullptr, "{}: cannot be read; check its permissions", file);
    gzbuffer(file_.get(), 1U << 18U);
  }

  void read(std::uint8_t* to, std::size_t count) {
    while (count > 0) {
      const auto chunk = static_cast<unsigned>(std::min(count, piece));
      const int got = gzread(file_.get(), to, chunk);
      int code = Z_OK;
      const char* reason = gzerror(file_.get(), &code);
      require(got >= 0 && (code == Z_OK || code == Z_STREAM_END),
              "{}: cannot be inflated ({}); fetch it again", name_, reason);
      if (got <= 0) end_too_early();
      to += got;
      count -= static_cast<std::size_t>(got);
    }
  }

  // Whether the file can hold so many bytes as a header tells.
  void check_room(std::size_t rows, std::size_t columns) const {
    constexpr std::size_t most_inflated = 1032;  // bytes that deflate makes of one, zlib's manual
    const std::size_t most = size_ * (gzdirect(file_.get()) != 0 ? 1 : most_inflated);
    if (rows > most / columns) end_too_early();
  }

  // Bytes whose number a header tells, read piece by piece, so that a wrong header does not take
  // memory.
  std::vector<std::uint8_t> read(std::size_t count) {
    check_room(count, 1);
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < count) {
      const std::size_t before = bytes.size();
      bytes.resize(before + std::min(count - before, piece));
      read(bytes.data() + before, bytes.size() - before);
    }
    return bytes;
  }

  const std::string& name() const { return name_; }

  std::size_t big_endian() {
    std::uint8_t b[4];
    read(b, 4);
    return (std::size_t{b[0]} << 24U) | (std::size_t{b[1]} << 16U) | (std::size_t{b[2]} << 8U) |
           b[3];
  }

  void magic(std::size_t wanted, const char* kind) {
    const std::size_t found = big_endian();
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
  static constexpr std::size_t piece = std::size_t{1} << 24U;

  [[noreturn]] void end_too_early() const {
    throw UserError(fmt::format("{}: the file ends too early (truncated); fetch it again", name_));
  }

  std::string name_;
  std::size_t size_;  ///< of the file
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

struct ImageHeader {
  std::size_t count, height, width;
  std::size_t features() const { return height * width; }
};

ImageHeader image_header(ByteSource& pixels) {
  pixels.magic(0x803, "IDX images");
  ImageHeader header{};
  header.count = pixels.big_endian();
  header.height = pixels.big_endian();
  header.width = pixels.big_endian();
  require(header.count > 0, "{}: no image in the file; fetch it again", pixels.name());
  require(header.features() > 0, "{}: images of {} x {} pixels; fetch it again", pixels.name(),
          header.height, header.width);
  return header;
}

std::vector<std::uint8_t> read_labels(const std::string& labels, const std::string& images,
                                      std::size_t count) {
  ByteSource marks(labels);
  marks.magic(0x801, "IDX labels");
  const std::size_t label_count = marks.big_endian();
  require(label_count == count,
          "{}: {} labels for the {} images of {}; the files do not belong together", labels,
          label_count, count, images);
  auto raw = marks.read(count);
  marks.end();
  return raw;
}

void check_features(const ImageHeader& header, const std::string& images, std::size_t features) {
  require(header.features() == features, "{}: images of {} x {} pixels, but data.features = {}",
          images, header.height, header.width, features);
}

// Image after image, of those records that are to have rows; the file is looked at to its end.
DenseRows read_images(const std::string& images, const Dataset& data) {
  const std::size_t features = data.features();
  ByteSource pixels(images);
  const ImageHeader header = image_header(pixels);
  check_features(header, images, features);
  require(header.count >= data.size(), "{}: has changed while it was read; start again", images);
  DenseRows rows;
  rows.columns = features;
  rows.byte.reserve(data.kept() * features);
  std::vector<std::uint8_t> image(features);
  for (std::size_t r = 0; r < header.count; ++r) {
    pixels.read(image.data(), features);
    if (r >= data.size()) continue;
    rows.census.take_in(image);
    if (data.has_row(r)) rows.byte.insert(rows.byte.end(), image.begin(), image.end());
  }
  pixels.end();
  return rows;
}

}  // namespace

IdxPair::IdxPair(std::string images, std::string labels, std::size_t features, int classes,
                 std::size_t rows)
    : images_(std::move(images)) {
  const std::size_t count = reading(images_, [&] {
    ByteSource pixels(images_);
    const ImageHeader header = image_header(pixels);
    check_features(header, images_, features);
    pixels.check_room(header.count, features);
    return header.count;
  });
  const auto raw = reading(labels, [&] { return read_labels(labels, images_, count); });
  for (std::size_t i = 0; i < count; ++i)
    require(raw[i] < classes, "{}: label {} at position {}, but data.classes = {}", labels, raw[i],
            i, classes);
  require(rows <= count, "data.rows = {}: {} has {} records only; lower data.rows", rows, images_,
          count);
  const auto wanted = static_cast<std::ptrdiff_t>(rows > 0 ? rows : count);
  data_.classes = classes;
  data_.label.assign(raw.begin(), raw.begin() + wanted);
  DenseRows none;
  none.columns = features;
  data_.rows = std::move(none);
}

Dataset IdxPair::read(const std::vector<bool>& chosen) const {
  Dataset data = data_;
  data.keep(chosen);
  data.rows = reading(images_, [&] { return read_images(images_, data); });
  return data;
}

FileShape idx_shape(const std::string& images, const std::string& labels) {
  return reading(labels, [&] {
    ByteSource pixels(images);
    const ImageHeader header = image_header(pixels);
    const auto raw = read_labels(labels, images, header.count);
    return FileShape{header.features(), 1 + *std::max_element(raw.begin(), raw.end())};
  });
}

}  // namespace trilemma
