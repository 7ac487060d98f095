#include "data/idx.hpp"

#include <algorithm>
#include <cmath>

#include "data/array.hpp"
#include "data/data_file.hpp"
#include "data/data_stream.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

// Number type of an IDX file, given by the third byte of its magic number.
struct IdxType {
  std::uint8_t code;
  ItemKind kind;
  std::size_t item;
};
constexpr IdxType idx_types[] = {
    {0x08, ItemKind::natural, 1}, {0x09, ItemKind::integer, 1},  {0x0B, ItemKind::integer, 2},
    {0x0C, ItemKind::integer, 4}, {0x0D, ItemKind::floating, 4}, {0x0E, ItemKind::floating, 8},
};

// A plain or gzip file.
class ByteSource {
 public:
  explicit ByteSource(const std::string& file) : stream_(file) {
    stream_.refuse_others({FileFormat::idx, FileFormat::empty}, "IDX");
  }

  void read(void* to, std::size_t count) { stream_.read_all(to, count); }
  const std::string& name() const { return stream_.file(); }

  std::size_t big_endian() {
    std::uint8_t b[4];
    read(b, 4);
    return (std::size_t{b[0]} << 24U) | (std::size_t{b[1]} << 16U) | (std::size_t{b[2]} << 8U) |
           b[3];
  }

  // Returns the array that the header declares, checked against the size of the file. It has
  // `least` to `most` dimensions; `usual` is the most common magic number of files of this `kind`.
  RawArray header(std::size_t least, std::size_t most, std::size_t usual, const char* kind) {
    const std::size_t found = big_endian();
    const std::size_t dimensions = found & 0xFFU;
    const auto* type = std::ranges::find(idx_types, (found >> 8U) & 0xFFU, &IdxType::code);
    require(found >> 16U == 0 && type != std::end(idx_types) && dimensions >= least &&
                dimensions <= most,
            "{}: magic number 0x{:08x}, but {} have 0x{:08x}; is it another file?", name(), found,
            kind, usual);
    RawArray array;
    array.place = name();
    array.kind = type->kind;
    array.item = type->item;
    array.is_big_endian = true;
    std::uint64_t bytes = type->item;
    for (std::size_t i = 0; i < dimensions; ++i) {
      array.shape.push_back(big_endian());
      const std::uint64_t extent = array.shape.back();
      require(extent == 0 || bytes <= stream_.most_bytes() / extent,
              "{}: its header declares {} values, more than the file {}; fetch it again", name(),
              array.shape_in_words(),
              stream_.is_packed() ? "can hold (200 times its size)" : "has (truncated)");
      bytes *= extent;
    }
    return array;
  }

  void end() {
    char extra = 0;
    require(stream_.read(&extra, 1) == 0, "{}: more bytes than its header says; fetch it again",
            name());
  }

 private:
  DataStream stream_;
};

RawArray image_header(ByteSource& pixels) {
  RawArray header = pixels.header(2, 4, 0x803, "IDX images");
  require(header.records() > 0, "{}: no image in the file; fetch it again", pixels.name());
  require(header.width() > 0, "{}: images without pixels ({}); fetch it again", pixels.name(),
          header.shape_in_words());
  return header;
}

std::vector<std::int64_t> read_labels(const std::string& labels) {
  ByteSource marks(labels);
  const RawArray header = marks.header(1, 1, 0x801, "IDX labels");
  require(header.kind != ItemKind::floating,
          "{}: labels that are not whole numbers; save them as bytes", labels);
  std::vector<std::uint8_t> items(header.bytes());
  marks.read(items.data(), items.size());
  marks.end();
  std::vector<std::int64_t> found;
  for (std::size_t r = 0; r < header.records(); ++r)
    found.push_back(static_cast<std::int64_t>(item_value(header, items.data(), r)));
  return found;
}

std::vector<std::int64_t> read_labels(const std::string& labels, const std::string& images,
                                      std::size_t count) {
  auto found = read_labels(labels);
  require(found.size() == count,
          "{}: {} labels for the {} images of {}; the files do not belong together", labels,
          found.size(), count, images);
  return found;
}

void check_features(const RawArray& header, std::size_t features) {
  RawArray image = header;
  image.shape.erase(image.shape.begin());
  require(header.width() == features, "{}: images of {} pixels, but data.features = {}",
          header.place, image.shape_in_words(), features);
}

// Reads image after image, up to the end of the file, for the records that are to have rows.
DenseRows read_images(const std::string& images, const Dataset& data, std::size_t* lost) {
  const std::size_t features = data.features();
  ByteSource pixels(images);
  const RawArray header = image_header(pixels);
  check_features(header, features);
  require(header.records() >= data.size(), "{}: has changed while it was read; start again",
          images);
  const bool is_bytes = header.kind == ItemKind::natural;
  require_memory(fmt::format("{}: {} images", images, data.kept()),
                 static_cast<double>(data.kept()) * static_cast<double>(features) *
                     static_cast<double>(is_bytes ? 1 : sizeof(real)),
                 "lower data.rows");
  DenseRows rows;
  rows.columns = features;
  if (is_bytes)
    rows.byte.reserve(data.kept() * features);
  else
    rows.value.reserve(data.kept() * features);
  std::vector<std::uint8_t> image(features * header.item);
  Vector values(is_bytes ? 0 : features);
  for (std::size_t r = 0; r < header.records(); ++r) {
    pixels.read(image.data(), image.size());
    if (r >= data.size()) continue;
    if (is_bytes) {
      rows.census.take_in(image);
      if (data.has_row(r)) rows.byte.insert(rows.byte.end(), image.begin(), image.end());
      continue;
    }
    for (std::size_t j = 0; j < features; ++j) {
      const double value = item_value(header, image.data(), j);
      values[j] = static_cast<real>(value);
      if (lost != nullptr && value != 0 && values[j] == 0) ++*lost;
      if (!std::isfinite(values[j]))
        throw UserError(
            fmt::format("{}: image {}: {}", images, r, number_problem(value, "clean the data")));
    }
    rows.census.take_in(ConstView(values));
    if (data.has_row(r)) rows.value.insert(rows.value.end(), values.begin(), values.end());
  }
  pixels.end();
  return rows;
}

}  // namespace

IdxPair::IdxPair(std::string images, const std::string& labels, std::size_t features,
                 const ClassMap& classes, std::size_t rows)
    : images_(std::move(images)) {
  const std::size_t count = reading(images_, [&] {
    ByteSource pixels(images_);
    const RawArray header = image_header(pixels);
    check_features(header, features);
    return header.records();
  });
  const auto raw = reading(labels, [&] { return read_labels(labels, images_, count); });
  require(rows <= count, "data.rows = {}: {} has {} records only; lower data.rows", rows, images_,
          count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = classes.number(raw[i]);
    require(number.has_value(), "{}: label {} at position {} is not {}; fix it", labels, raw[i], i,
            classes.expected());
    if (i < (rows > 0 ? rows : count)) data_.label.push_back(*number);
  }
  data_.classes = classes.classes();
  DenseRows none;
  none.columns = features;
  data_.rows = std::move(none);
}

Dataset IdxPair::read(const std::vector<bool>& chosen, std::size_t* lost) const {
  Dataset data = data_;
  data.keep(chosen);
  data.rows = reading(images_, [&] { return read_images(images_, data, lost); });
  return data;
}

std::size_t idx_features(const std::string& images) {
  ByteSource pixels(images);
  return image_header(pixels).width();
}

LabelCount count_idx_labels(const std::string& labels) {
  LabelCount count(labels);
  for (const auto label : reading(labels, [&] { return read_labels(labels); })) count.add(label);
  return count;
}

}  // namespace trilemma
