#include "h5/h5_read.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "h5/h5_check.hpp"
#include "h5/h5_detail.hpp"

namespace trilemma::h5 {
namespace {

// The kind of a value and, in the file, its type.
struct Type {
  Handle handle;
  Kind kind = Kind::text;
};

Type type_of_dataset(const Handle& dataset) {
  Handle type(H5Dget_type(dataset.get()), H5Tclose, "look at a type");
  const Kind kind = kind_of(dataset.get(), "", type);
  return {std::move(type), kind};
}

// Text of fixed length without what fills it up.
std::string unpadded(const char* text, std::size_t size, const Handle& type) {
  std::string out(text, size);
  if (H5Tget_strpad(type.get()) == H5T_STR_NULLTERM) return out.substr(0, out.find('\0'));
  const char pad = H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD ? ' ' : '\0';
  return out.substr(0, out.find_last_not_of(pad) + 1);
}

// `count` texts by way of `read`, which fills a buffer with values of the type that it is given.
template <class Read>
std::vector<std::string> texts(const Handle& type, std::size_t count, Read read) {
  std::vector<std::string> out;
  out.reserve(count);
  if (H5Tis_variable_str(type.get()) > 0) {
    const Handle memory = text_type();
    check(H5Tset_cset(memory.get(), H5Tget_cset(type.get())), "set a character set");
    std::vector<char*> pointers(count, nullptr);
    read(memory.get(), pointers.data());
    for (char* text : pointers) {
      out.emplace_back(text == nullptr ? "" : text);
      H5free_memory(text);
    }
    return out;
  }
  const std::size_t size = H5Tget_size(type.get());
  std::vector<char> bytes(count * size);
  read(type.get(), bytes.data());
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(unpadded(bytes.data() + i * size, size, type));
  return out;
}

template <class T>
T read_number(hid_t object, const std::string& name, hid_t attribute) {
  T value{};
  if (H5Aread(attribute, type_of<T>(), &value) < 0)
    refuse(object, "@" + name, "cannot be read: " + reason());
  return value;
}

}  // namespace

bool has_attribute(hid_t object, const std::string& name) {
  quiet();
  return H5Aexists(object, name.c_str()) > 0;
}

Value attribute(hid_t object, const std::string& name) {
  quiet();
  if (H5Aexists(object, name.c_str()) <= 0) refuse(object, "@" + name, "is missing");
  const hid_t id = H5Aopen(object, name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse(object, "@" + name, "cannot be read: " + reason());
  const Handle handle(id, H5Aclose, "read an attribute");
  const Handle space(H5Aget_space(id), H5Sclose, "look at an attribute");
  const Handle type(H5Aget_type(id), H5Tclose, "look at an attribute");
  if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR)
    refuse(
        object, "@" + name,
        fmt::format("{} values where one is expected", H5Sget_simple_extent_npoints(space.get())));
  switch (kind_of(object, "@" + name, type)) {
    case Kind::floating:
      return read_number<double>(object, name, id);
    case Kind::integer:
      return read_number<std::int64_t>(object, name, id);
    case Kind::natural:
      return read_number<std::uint64_t>(object, name, id);
    case Kind::text:
      break;
  }
  return texts(type, 1,
               [&](hid_t memory, void* out) {
                 if (H5Aread(id, memory, out) < 0)
                   refuse(object, "@" + name, "cannot be read: " + reason());
               })
      .front();
}

std::string text_attribute(hid_t object, const std::string& name) {
  const Value value = attribute(object, name);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) refuse(object, "@" + name, "a number where text is expected");
  return *text;
}

double number_attribute(hid_t object, const std::string& name) {
  return std::visit(
      [&](const auto& value) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
          return static_cast<double>(value);
        else
          refuse(object, "@" + name, "text where a number is expected");
      },
      attribute(object, name));
}

std::int64_t integer_attribute(hid_t object, const std::string& name, std::int64_t low,
                               std::int64_t high) {
  const Value value = attribute(object, name);
  std::int64_t number = low;
  if (const auto* natural = std::get_if<std::uint64_t>(&value))
    number = *natural <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                 ? static_cast<std::int64_t>(*natural)
                 : std::numeric_limits<std::int64_t>::max();
  else if (const auto* integer = std::get_if<std::int64_t>(&value))
    number = *integer;
  else
    refuse(object, "@" + name, "not a whole number");
  if (number < low || number > high)
    refuse(object, "@" + name, fmt::format("{} is not from {} to {}", number, low, high));
  return number;
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Handle dataset = open_dataset(parent, name);
  const Type type = type_of_dataset(dataset);
  if (type.kind != Kind::text) refuse(dataset.get(), "", "numbers where text is expected");
  const std::vector<hsize_t> found = stored_extents(dataset);
  if (found.size() > 1)
    refuse(dataset.get(), "", fmt::format("{} dimensions where one is expected", found.size()));
  const std::size_t count = found.empty() ? 1 : static_cast<std::size_t>(found[0]);
  if (count == 0) return {};
  return texts(type.handle, count, [&](hid_t memory, void* out) {
    if (H5Dread(dataset.get(), memory, H5S_ALL, H5S_ALL, transfer(dataset.get()).get(), out) < 0)
      refuse(dataset.get(), "", "cannot be read: " + reason());
  });
}

std::string read_text(hid_t parent, const std::string& name) {
  auto lines = read_texts(parent, name);
  if (lines.size() != 1)
    refuse(parent, name, fmt::format("{} texts where one is expected", lines.size()));
  return std::move(lines.front());
}

Kind kind(const Handle& dataset) { return type_of_dataset(dataset).kind; }

std::size_t value_size(const Handle& dataset) {
  return H5Tget_size(type_of_dataset(dataset).handle.get());
}

std::vector<hsize_t> extents(const Handle& dataset, std::size_t rank) {
  return sparse_extents(dataset, rank, 0);
}

std::vector<hsize_t> sparse_extents(const Handle& dataset, std::size_t rank, hsize_t most) {
  if (kind(dataset) == Kind::text) refuse(dataset.get(), "", "text where numbers are expected");
  auto found = stored_extents(dataset, most);
  if (found.size() != rank)
    refuse(dataset.get(), "",
           fmt::format("{} dimensions where {} are expected", found.size(), rank));
  return found;
}

void read_rows(const Handle& dataset, const std::vector<hsize_t>& extents, hsize_t first,
               hsize_t count, hid_t type, void* out) {
  if (count == 0 || std::count(extents.begin(), extents.end(), hsize_t{0}) > 0) return;
  const Handle file(H5Dget_space(dataset.get()), H5Sclose, "look at a data set");
  std::vector<hsize_t> start(extents.size(), 0);
  std::vector<hsize_t> block = extents;
  start[0] = first;
  block[0] = count;
  check(
      H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr),
      "select rows");
  const Handle memory(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr),
                      H5Sclose, "make a space");
  if (H5Dread(dataset.get(), type, memory.get(), file.get(), transfer(dataset.get()).get(), out) <
      0)
    refuse(dataset.get(), "", "cannot be read: " + reason());
}

std::vector<double> read_numbers(hid_t parent, const std::string& name, hsize_t most) {
  const Handle dataset = open_dataset(parent, name);
  const auto found = extents(dataset, 1);
  if (found[0] > most)
    refuse(dataset.get(), "",
           fmt::format("{} values where {} at most are expected", found[0], most));
  return read_rows<double>(dataset, found, 0, found[0]);
}

hsize_t byte_count(const Handle& dataset) {
  const Type type = type_of_dataset(dataset);
  if (type.kind != Kind::natural || H5Tget_size(type.handle.get()) != 1)
    refuse(dataset.get(), "", "no bytes");
  return extents(dataset, 1)[0];
}

Bytes read_byte_range(const Handle& dataset, hsize_t first, hsize_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  read_rows(dataset, {count}, first, count, H5T_NATIVE_UINT8, bytes.data());
  return bytes;
}

}  // namespace trilemma::h5
