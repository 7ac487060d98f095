#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/array_files.hpp"

namespace trilemma {
namespace {

void read_all(const std::string& place, const ReadBytes& read, void* to, std::size_t count) {
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const std::size_t got = read(at, count);
    require(got > 0, "{}: the array ends too early (truncated); fetch it again", place);
    at += got;
    count -= got;
  }
}

[[noreturn]] void refuse_header(const std::string& place, std::string_view header) {
  throw UserError(fmt::format("{}: the header {} is not one of NumPy's; save the array again",
                              place, shown(header, 40)));
}

// Returns the text after 'KEY': in the header, which is the literal of a Python dictionary.
std::string_view value_of(const std::string& place, std::string_view header, const char* key) {
  const std::string quoted = fmt::format("'{}':", key);
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) refuse_header(place, header);
  std::string_view value = header.substr(at + quoted.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

std::vector<std::size_t> shape_of(const std::string& place, std::string_view header) {
  constexpr std::size_t most_dimensions = 32;
  std::string_view text = value_of(place, header, "shape");
  if (!text.starts_with('(')) refuse_header(place, header);
  text = text.substr(1, text.find(')') - 1);
  std::vector<std::size_t> shape;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return shape;
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || shape.size() == most_dimensions) refuse_header(place, header);
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

std::optional<ItemKind> kind_of_letter(char letter) {
  switch (letter) {
    case 'u':
      return ItemKind::natural;
    case 'i':
      return ItemKind::integer;
    case 'f':
      return ItemKind::floating;
    case 'b':
      return ItemKind::boolean;
    case 'S':
      return ItemKind::bytes;
    case 'U':
      return ItemKind::unicode;
    default:
      return {};
  }
}

bool is_usual(ItemKind kind, std::size_t size) {
  switch (kind) {
    case ItemKind::natural:
    case ItemKind::integer:
      return size == 1 || size == 2 || size == 4 || size == 8;
    case ItemKind::floating:
      return size == 2 || size == 4 || size == 8;
    case ItemKind::boolean:
      return size == 1;
    default:
      return size >= 1 && size <= 4096;
  }
}

// Parses a type such as '<f4': byte order, kind, size.
void take_type(const std::string& place, std::string_view header, RawArray& array) {
  std::string_view text = value_of(place, header, "descr");
  require(text.starts_with('\''),
          "{}: an array of records with fields; save one array for the features and one for the "
          "labels",
          place);
  if (text.find('\'', 1) == std::string_view::npos) refuse_header(place, header);
  text = text.substr(1, text.find('\'', 1) - 1);
  require(
      text.size() >= 2 && text.find('O') == std::string_view::npos,
      "{}: an array of Python objects, which only pickle can read and which could run any code; "
      "save it with a type of numbers, as by .astype(\"float32\")",
      place);
  const auto kind = kind_of_letter(text[1]);
  std::size_t size = 0;
  const char* last = text.data() + text.size();
  const bool is_whole = std::from_chars(text.data() + 2, last, size).ptr == last;
  const bool has_order = std::string_view("<>|=").find(text[0]) != std::string_view::npos;
  if (kind == ItemKind::unicode) size = size <= 1024 ? 4 * size : 0;
  require(has_order && is_whole && kind && is_usual(*kind, size),
          "{}: items of type {}; whole and real numbers of 8 to 64 bits and text are read: convert "
          "it, as by .astype(\"float32\")",
          place, shown(text, 20));
  array.kind = *kind;
  array.item = size;
  array.is_big_endian = text[0] == '>';
}

std::string read_header(const std::string& place, const ReadBytes& read, std::uint64_t& taken) {
  constexpr std::size_t most = std::size_t{1} << 16U;
  unsigned char begin[8];
  read_all(place, read, begin, sizeof begin);
  require(std::string_view(reinterpret_cast<const char*>(begin), 6) == "\x93NUMPY",
          "{}: no NumPy array; is it another file?", place);
  const int version = begin[6];
  require(version >= 1 && version <= 3, "{}: format {} of NumPy, and 1 to 3 are read", place,
          version);
  unsigned char length[4] = {};
  read_all(place, read, length, version == 1 ? 2 : 4);
  const std::size_t size =
      length[0] + 256U * length[1] + 65536U * length[2] + (std::size_t{length[3]} << 24U);
  require(size <= most, "{}: a header of {} bytes; save the array again", place, size);
  std::string header(size, '\0');
  read_all(place, read, header.data(), size);
  taken = sizeof begin + (version == 1 ? 2 : 4) + size;
  return header;
}

}  // namespace

RawArray open_numpy(const std::string& place, const ReadBytes& read, std::uint64_t available) {
  std::uint64_t taken = 0;
  const std::string header = read_header(place, read, taken);
  RawArray array;
  array.place = place;
  take_type(place, header, array);
  array.is_fortran = value_of(place, header, "fortran_order").starts_with("True");
  array.shape = shape_of(place, header);
  std::uint64_t bytes = array.item;
  for (const std::uint64_t extent : array.shape) {
    const bool fits = extent == 0 || bytes <= std::numeric_limits<std::uint64_t>::max() / extent;
    require(fits && (bytes *= extent) <= available,
            "{}: its header declares {} values, more than the file has (truncated); save it again",
            place, array.shape_in_words());
  }
  require(bytes + taken <= available, "{}: the array ends too early (truncated); fetch it again",
          place);
  array.read = [place, read](void* to, std::size_t count) { read_all(place, read, to, count); };
  return array;
}

}  // namespace trilemma
