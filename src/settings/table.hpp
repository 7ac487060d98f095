#pragma once
// The table of a family of parts: name, one-line summary, settings, maker. Everything that needs to
// know all parts of a family (lists, defaults, conformance tests, benchmarks) walks over it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// One row; `Maker` is a function pointer of the family. `declare` reads the part's settings and
/// throws the values away: it lists the keys.
template <class Maker>
struct Row {
  const char* name;
  const char* summary;
  void (*declare)(Settings&);
  Maker make;
};

/// Names of the rows, for messages and choices.
template <class Maker>
std::vector<std::string> names(std::span<const Row<Maker>> rows) {
  std::vector<std::string> result;
  for (const auto& row : rows) result.emplace_back(row.name);
  return result;
}

/// The row of this name; a name that is not in the table is our own mistake.
template <class Maker>
const Row<Maker>& row(std::span<const Row<Maker>> rows, std::string_view name) {
  for (const auto& entry : rows)
    if (name == entry.name) return entry;
  throw std::logic_error("no row named " + std::string(name));
}

/// The row chosen by `key` in `settings` (default: `fallback`).
template <class Maker>
const Row<Maker>& choose(std::span<const Row<Maker>> rows, Settings& settings, std::string_view key,
                         std::string_view fallback, std::string_view help) {
  return row(rows, settings.choice(key, fallback, names(rows), help));
}

}  // namespace trilemma
