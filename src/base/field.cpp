#include "base/field.hpp"

#include <algorithm>
#include <cmath>

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

bool same_value(const FieldValue& a, const FieldValue& b, double tolerance) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return same_number_within(*x, *y, tolerance);
  return a == b;
}

}  // namespace trilemma
