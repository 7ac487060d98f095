#include "record/field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma {
namespace {

constexpr const char* types[] = {"text", "float64", "int64", "uint8 (0 or 1)", "texts"};

bool same_number_within(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

const char* name(FieldType type) { return types[static_cast<std::size_t>(type)]; }

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

bool same_value(const FieldValue& a, const FieldValue& b, double tolerance) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return same_number_within(*x, *y, tolerance);
  return a == b;
}

}  // namespace trilemma
