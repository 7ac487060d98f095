#include "record/field.hpp"

#include <limits>

namespace trilemma {

void write_value(const h5::Object& to, const std::string& name, const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return to.set_attribute<std::uint8_t>(name, *flag ? 1 : 0);
  std::visit(
      [&](const auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, bool>)
          to.set_attribute(name, one);
      },
      value);
}

FieldValue read_value(const h5::Object& from, const std::string& name, FieldType type) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  switch (type) {
    case FieldType::text:
      return from.text_attribute(name);
    case FieldType::number:
      return from.number_attribute(name);
    case FieldType::whole:
      return from.integer_attribute(name, least, most);
    case FieldType::flag:
      return from.integer_attribute(name, 0, 1) == 1;
    case FieldType::texts:
      break;
  }
  return from.texts_attribute(name);
}

FieldValue read_any_value(const h5::Object& from, const std::string& name) {
  return std::visit(
      [&](auto value) -> FieldValue {
        if constexpr (std::is_same_v<decltype(value), std::uint64_t>)
          return read_value(from, name, FieldType::whole);
        else
          return value;
      },
      from.attribute(name));
}

}  // namespace trilemma
