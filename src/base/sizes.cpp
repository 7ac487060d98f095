// Parsing and formatting of amounts of data.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr std::pair<std::string_view, double> size_prefixes[] = {
    {"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},    {"T", 1e12},
    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};

// A positive number and the text after it.
struct NumberAndUnit {
  double number = 0;
  std::string_view unit;
};
std::optional<NumberAndUnit> split_size(std::string_view size) {
  NumberAndUnit found;
  const FoundNumber number = read_number_at(size);
  if (number.text != NumberText::number || !(number.value > 0)) return {};
  found.number = number.value;
  found.unit = size.substr(static_cast<std::size_t>(number.end - size.data()));
  while (found.unit.starts_with(' ')) found.unit.remove_prefix(1);
  return found;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Returns the units that equal `unit` except for capitals, a plural s, and "byte" or "b" for B.
std::vector<std::string> units_like(std::string_view unit) {
  std::string word = lower_case(unit);
  if (word.ends_with('s')) word.pop_back();
  if (word.ends_with("byte")) word.resize(word.size() - 3);
  std::vector<std::string> found;
  for (const auto& [prefix, factor] : size_prefixes) {
    const std::string small = lower_case(prefix);
    if (word == small + "b") found.push_back(std::string(prefix) + "B");
    // A small b may also stand for bits.
    if (word == small + "bit" || (word == small + "b" && unit.ends_with('b')))
      found.push_back(std::string(prefix) + "bit");
  }
  return found;
}

}  // namespace

std::string with_prefix(double value, std::string_view unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  // A value that would be shown as 1000 of a unit is shown as 1 of the next unit.
  while (std::abs(value) >= 999.95 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.4g} {}{}", value, prefixes[prefix], unit);
}

std::optional<double> bits_in(std::string_view size) {
  const auto found = split_size(size);
  if (!found) return {};
  std::string_view unit = found->unit;
  const bool is_bits = unit.ends_with("bit");
  if (!is_bits && !unit.ends_with('B')) return {};
  unit.remove_suffix(is_bits ? 3 : 1);
  for (const auto& [prefix, factor] : size_prefixes)
    if (unit == prefix) return found->number * factor * (is_bits ? 1 : 8);
  return {};
}

std::string size_problem(std::string_view size) {
  constexpr const char* units =
      "units are B (8 bits), kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024), "
      "and bit, kbit, Mbit, Gbit, Tbit";
  const auto found = split_size(size);
  if (!found)
    return fmt::format("expected a number above 0 and a unit, as in 1MB or 8Mbit; {}", units);
  if (found->unit.empty()) return fmt::format("the unit is missing; {}", units);
  const std::string what =
      fmt::format("\"{}\" is not a unit, and capitals matter", shown(found->unit));
  const auto meant = units_like(found->unit);
  return meant.empty() ? fmt::format("{}; {}", what, units)
                       : fmt::format("{}; did you mean {}?", what, join(meant, " or "));
}

}  // namespace trilemma
