#include "data/array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

// Returns the bytes of an item in the byte order of this machine.
std::uint64_t bits_of(const RawArray& array, const unsigned char* at) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < array.item; ++i)
    bits = (bits << 8U) | at[array.is_big_endian ? i : array.item - 1 - i];
  return bits;
}

double half_value(std::uint64_t bits) {
  constexpr int mantissa_bits = 10, bias = 15, largest = 31;
  const auto mantissa = static_cast<double>(bits & 0x3FFU);
  const int exponent = static_cast<int>((bits >> mantissa_bits) & 0x1FU);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == largest) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(1024 + mantissa, exponent - bias - mantissa_bits);
}

std::int64_t whole_value(const RawArray& array, const unsigned char* at) {
  const std::uint64_t bits = bits_of(array, at);
  if (array.kind == ItemKind::integer) {
    const auto shift = static_cast<unsigned>(64 - 8 * array.item);
    return static_cast<std::int64_t>(bits << shift) >> shift;
  }
  return static_cast<std::int64_t>(bits);
}

double number_value(const RawArray& array, const unsigned char* at) {
  switch (array.kind) {
    case ItemKind::natural:
      return static_cast<double>(bits_of(array, at));
    case ItemKind::integer:
      return static_cast<double>(whole_value(array, at));
    case ItemKind::boolean:
      return *at != 0 ? 1 : 0;
    case ItemKind::floating: {
      const std::uint64_t bits = bits_of(array, at);
      if (array.item == 2) return half_value(bits);
      if (array.item == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return std::bit_cast<double>(bits);
    }
    default:
      return NAN;
  }
}

void append_utf8(std::string& text, std::uint64_t code) {
  const auto put = [&text](std::uint64_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6U));
  } else {
    if (code < 0x10000) {
      put(0xE0 | (code >> 12U));
    } else {
      put(0xF0 | ((code >> 18U) & 0x7U));
      put(0x80 | ((code >> 12U) & 0x3FU));
    }
    put(0x80 | ((code >> 6U) & 0x3FU));
  }
  put(0x80 | (code & 0x3FU));
}

std::string text_value(const RawArray& array, const unsigned char* at) {
  std::string text;
  if (array.kind == ItemKind::bytes) {
    text.assign(reinterpret_cast<const char*>(at), array.item);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  constexpr std::size_t character = 4;
  RawArray code;
  code.item = character;
  code.is_big_endian = array.is_big_endian;
  for (std::size_t i = 0; i < array.item; i += character) {
    const std::uint64_t found = bits_of(code, at + i);
    if (found == 0) break;
    append_utf8(text, found);
  }
  return text;
}

std::vector<unsigned char> one_by_record(const RawArray& array) {
  require(array.records() > 0 && array.width() == 1,
          "{}: an array of {} where one value by record belongs; save it as one, as one-hot labels "
          "by .argmax(axis=1)",
          array.place, array.shape_in_words());
  require_memory(fmt::format("{}: {}", array.place, counted(array.records(), "value")),
                 static_cast<double>(array.bytes()) + static_cast<double>(array.held) +
                     static_cast<double>(array.records()) * sizeof(double),
                 "take fewer records");
  std::vector<unsigned char> items(array.bytes());
  array.read(items.data(), items.size());
  return items;
}

// Returns for each value of a record in C order its position in an array in Fortran order, in units
// of records.
std::vector<std::size_t> fortran_places(const std::vector<std::size_t>& shape, std::size_t width) {
  std::vector<std::size_t> places(width);
  for (std::size_t p = 0; p < width; ++p) {
    std::size_t rest = p, place = 0;
    std::size_t stride = width;
    for (std::size_t d = shape.size(); d-- > 1;) {
      stride /= shape[d];
      place += rest % shape[d] * stride;
      rest /= shape[d];
    }
    places[p] = place;
  }
  return places;
}

}  // namespace

std::size_t RawArray::width() const {
  std::size_t product = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) product *= shape[i];
  return product;
}

std::string RawArray::shape_in_words() const {
  std::vector<std::string> words;
  for (const auto extent : shape) words.push_back(fmt::format("{}", extent));
  return words.empty() ? "no dimension" : join(words, " x ");
}

double item_value(const RawArray& array, const unsigned char* items, std::size_t index) {
  return number_value(array, items + index * array.item);
}

std::vector<std::size_t> places_in_record(const RawArray& array, Axes axes,
                                          std::vector<std::string>& notes) {
  const auto& shape = array.shape;
  require(!shape.empty() && shape.size() <= 4 && array.records() > 0 && array.width() > 0,
          "{}: an array of {}; features are records x values, images records x height x width, or "
          "with colours (data.axes)",
          array.place, array.shape_in_words());
  std::vector<std::size_t> places(array.width());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (shape.size() < 4) return places;
  const auto is_colours = [](std::size_t extent) {
    return extent == 1 || extent == 3 || extent == 4;
  };
  if (axes == Axes::unknown && is_colours(shape[3]) != is_colours(shape[1]))
    axes = is_colours(shape[3]) ? Axes::nhwc : Axes::nchw;
  require(axes != Axes::unknown,
          "{}: an array of {}; set data.axes = \"nhwc\" if the colours are last, \"nchw\" if they "
          "come before height and width",
          array.place, array.shape_in_words());
  const std::size_t colours = axes == Axes::nhwc ? shape[3] : shape[1];
  notes.push_back(
      fmt::format("{}: {} ({}): {} of {} x {} pixels, one after the other in a record "
                  "(problem.colours = {} for cnn)",
                  array.place, array.shape_in_words(), axes == Axes::nhwc ? "nhwc" : "nchw",
                  counted(colours, "plane"), axes == Axes::nhwc ? shape[1] : shape[2],
                  axes == Axes::nhwc ? shape[2] : shape[3], colours));
  if (axes == Axes::nchw) return places;
  const std::size_t pixels = shape[1] * shape[2];
  for (std::size_t p = 0; p < places.size(); ++p) places[p] = p % colours * pixels + p / colours;
  return places;
}

namespace {

// Stores the values of record r from `items` in the row, and counts them.
class RowTaker {
 public:
  RowTaker(const RawArray& array, const std::vector<std::size_t>& places, DenseRows& rows,
           std::size_t* lost, ByteValues bytes)
      : array_(array),
        places_(places),
        rows_(rows),
        lost_(lost),
        are_bytes_(array.kind == ItemKind::natural && array.item == 1),
        is_bytes_(are_bytes_ && bytes == ByteValues::kept) {
    rows_.columns = places.size();
    if (is_bytes_)
      bytes_.resize(places.size());
    else
      values_.resize(places.size());
  }
  bool takes_bytes() const { return is_bytes_; }
  template <class Index>
  void take(const unsigned char* items, std::size_t record, Index&& index) {
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (is_bytes_) {
        bytes_[places_[p]] = items[index(p)];
        continue;
      }
      const double item = item_value(array_, items, index(p));
      const double value = are_bytes_ ? item / 255 : item;
      values_[places_[p]] = static_cast<real>(value);
      if (lost_ != nullptr && value != 0 && values_[places_[p]] == 0) ++*lost_;
      if (!std::isfinite(values_[places_[p]]))
        throw UserError(
            fmt::format("{}: record {}, value {}: {}", array_.place, record, p,
                        number_problem(value, "clean the array, as with numpy.nan_to_num")));
    }
    if (is_bytes_) {
      rows_.census.take_in(bytes_);
      rows_.byte.insert(rows_.byte.end(), bytes_.begin(), bytes_.end());
    } else {
      rows_.census.take_in(ConstView(values_));
      rows_.value.insert(rows_.value.end(), values_.begin(), values_.end());
    }
  }

 private:
  const RawArray& array_;
  const std::vector<std::size_t>& places_;
  DenseRows& rows_;
  std::size_t* lost_;
  bool are_bytes_;  // whether the file holds bytes
  bool is_bytes_;
  std::vector<std::uint8_t> bytes_;
  Vector values_;
};

}  // namespace

DenseRows read_rows(const RawArray& array, const std::vector<std::size_t>& places, std::size_t most,
                    std::size_t* lost, ByteValues bytes) {
  require(!array.is_text(), "{}: an array of text where numbers belong; name another array",
          array.place);
  const std::size_t records = std::min(most, array.records());
  DenseRows rows;
  RowTaker taker(array, places, rows, lost, bytes);
  const std::size_t kept = taker.takes_bytes() ? 1 : sizeof(real);
  require_memory(fmt::format("{}: {} records of {} values", array.place, records, places.size()),
                 static_cast<double>(records) * static_cast<double>(places.size() * kept) +
                     (array.is_fortran ? static_cast<double>(array.bytes()) : 0.0) +
                     static_cast<double>(array.held),
                 "lower data.rows");
  if (taker.takes_bytes())
    rows.byte.reserve(records * places.size());
  else
    rows.value.reserve(records * places.size());
  if (!array.is_fortran) {
    std::vector<unsigned char> items(places.size() * array.item);
    for (std::size_t r = 0; r < records; ++r) {
      array.read(items.data(), items.size());
      taker.take(items.data(), r, [](std::size_t p) { return p; });
    }
    return rows;
  }
  std::vector<unsigned char> items(array.bytes());
  array.read(items.data(), items.size());
  const auto at = fortran_places(array.shape, places.size());
  for (std::size_t r = 0; r < records; ++r)
    taker.take(items.data(), r, [&](std::size_t p) { return r + array.records() * at[p]; });
  return rows;
}

std::vector<double> read_numbers(const RawArray& array) {
  require(!array.is_text(), "{}: an array of text where numbers belong; name another array",
          array.place);
  const auto items = one_by_record(array);
  std::vector<double> numbers;
  for (std::size_t r = 0; r < array.records(); ++r)
    numbers.push_back(item_value(array, items.data(), r));
  return numbers;
}

std::vector<std::string> read_words(const RawArray& array) {
  const auto items = one_by_record(array);
  std::vector<std::string> words;
  for (std::size_t r = 0; r < array.records(); ++r) {
    const unsigned char* at = items.data() + r * array.item;
    if (array.is_text())
      words.push_back(text_value(array, at));
    else if (array.kind == ItemKind::floating)
      words.push_back(fmt::format("{}", number_value(array, at)));
    else if (array.kind == ItemKind::natural)
      words.push_back(fmt::format("{}", bits_of(array, at)));
    else
      words.push_back(fmt::format("{}", whole_value(array, at)));
  }
  return words;
}

}  // namespace trilemma
