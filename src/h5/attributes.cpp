// Attributes of files, groups and data sets.

#include <algorithm>
#include <limits>
#include <optional>

#include "h5/stored.hpp"

namespace trilemma::h5 {
namespace {

template <class T>
T read_number(hid_t object, const std::string& name, hid_t attribute) {
  T value{};
  if (H5Aread(attribute, memory_type(number_of<T>()), &value) < 0)
    refuse(object, "@" + name, "cannot be read: " + reason());
  return value;
}

// Returns the number of values of an attribute with one dimension; nullopt for a scalar.
std::optional<std::size_t> length_of(hid_t object, const std::string& name, hid_t attribute) {
  const Handle space(H5Aget_space(attribute), H5Sclose, "look at an attribute");
  const H5S_class_t form = H5Sget_simple_extent_type(space.get());
  if (form == H5S_SCALAR) return {};
  const auto count =
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get())));
  if (form != H5S_SIMPLE || H5Sget_simple_extent_ndims(space.get()) != 1 || count > most_names)
    refuse(object, "@" + name, fmt::format("{} values where one is expected", count));
  return count;
}

}  // namespace

bool Object::has_attribute(const std::string& name) const {
  quiet();
  return H5Aexists(id(), name.c_str()) > 0;
}

Value Object::attribute(const std::string& name) const {
  quiet();
  if (H5Aexists(id(), name.c_str()) <= 0) refuse("@" + name, "is missing");
  const hid_t opened = H5Aopen(id(), name.c_str(), H5P_DEFAULT);
  if (opened < 0) refuse("@" + name, "cannot be read: " + reason());
  const Handle handle(opened, H5Aclose, "read an attribute");
  const Handle type(H5Aget_type(opened), H5Tclose, "look at an attribute");
  const auto length = length_of(id(), name, opened);
  const Kind kind = kind_of(id(), "@" + name, type);
  if (length && kind != Kind::text)
    refuse("@" + name, fmt::format("{} values where one is expected", *length));
  if (kind == Kind::floating) return read_number<double>(id(), name, opened);
  if (kind == Kind::integer) return read_number<std::int64_t>(id(), name, opened);
  if (kind == Kind::natural) return read_number<std::uint64_t>(id(), name, opened);
  if (length == std::size_t{0}) return std::vector<std::string>();
  auto texts = texts_of(type, length.value_or(1), [&](hid_t memory, void* out) {
    if (H5Aread(opened, memory, out) < 0) refuse("@" + name, "cannot be read: " + reason());
  });
  if (length) return texts;
  return std::move(texts.front());
}

std::string Object::text_attribute(const std::string& name) const {
  Value value = attribute(name);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    refuse("@" + name, fmt::format("{} values where one is expected", list->size()));
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) refuse("@" + name, "a number where text is expected");
  return std::move(*text);
}

std::vector<std::string> Object::texts_attribute(const std::string& name) const {
  Value value = attribute(name);
  auto* list = std::get_if<std::vector<std::string>>(&value);
  if (list == nullptr) refuse("@" + name, "one value where a list of texts is expected");
  return std::move(*list);
}

double Object::number_attribute(const std::string& name) const {
  return std::visit(
      [&](const auto& value) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
          return static_cast<double>(value);
        else
          refuse("@" + name, "text where a number is expected");
      },
      attribute(name));
}

std::int64_t Object::integer_attribute(const std::string& name, std::int64_t low,
                                       std::int64_t high) const {
  const Value value = attribute(name);
  std::int64_t number = low;
  if (const auto* natural = std::get_if<std::uint64_t>(&value))
    number = *natural <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                 ? static_cast<std::int64_t>(*natural)
                 : std::numeric_limits<std::int64_t>::max();
  else if (const auto* integer = std::get_if<std::int64_t>(&value))
    number = *integer;
  else
    refuse("@" + name, "not a whole number");
  if (number < low || number > high)
    refuse("@" + name, fmt::format("{} is not from {} to {}", number, low, high));
  return number;
}

std::vector<std::string> Object::attribute_names() const {
  return sorted_names(
      [this](std::vector<std::string>& names) {
        hsize_t next = 0;
        return H5Aiterate2(
            id(), H5_INDEX_NAME, H5_ITER_INC, &next,
            [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
              auto& list = *static_cast<std::vector<std::string>*>(out);
              list.emplace_back(name);
              return list.size() > most_names ? -1 : 0;
            },
            &names);
      },
      id(), "its attributes cannot be listed");
}

void Object::set_attribute(const std::string& name, const std::string& value) const {
  const Handle type = text_type();
  const char* text = value.c_str();
  set_scalar(id(), name, type.get(), &text);
}

void Object::set_attribute(const std::string& name, const std::vector<std::string>& values) const {
  if (H5Aexists(id(), name.c_str()) > 0) remove_attribute(name);
  const hsize_t count = values.size();
  const Handle type = text_type();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a space");
  const Handle made(
      H5Acreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      "create attribute " + name);
  std::vector<const char*> texts;
  for (const auto& value : values) texts.push_back(value.c_str());
  if (!texts.empty())
    check(H5Awrite(made.get(), type.get(), texts.data()), "write attribute " + name);
}

void Object::set_attribute(const std::string& name, const Value& value) const {
  std::visit([&](const auto& one) { set_attribute(name, one); }, value);
}

void Object::set_number(const std::string& name, Number type, const void* value) const {
  set_scalar(id(), name, memory_type(type), value);
}

void Object::set_fixed_attribute(const std::string& name, const std::string& value) const {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
  check(H5Tset_size(type.get(), value.size() + 1), "set a string size");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set a character set");
  set_scalar(id(), name, type.get(), value.c_str());
}

void Object::remove_attribute(const std::string& name) const {
  check(H5Adelete(id(), name.c_str()), "replace " + name);
}

void Object::refuse(const std::string& name, const std::string& problem) const {
  h5::refuse(id(), name, problem);
}

}  // namespace trilemma::h5
