#pragma once
// The table of a family of parts: name, one-line summary, and how the part is read. Code that needs
// all parts of a family (lists, defaults, conformance tests, benchmarks) iterates over it.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/reader.hpp"

namespace trilemma {

/// A part without settings; `make` constructs it, or holds its properties.
template <class Part>
struct Row {
  const char* name;
  const char* summary;
  Part make;
  const char* also = "";  ///< other names of the part, for suggestions
};

/// A part with settings. `read` reads each setting once and returns a function that makes the part
/// from its context and can be called repeatedly.
template <class Made, class... Context>
struct Row<std::function<Made(Context...)>> {
  using Maker = std::function<Made(Context...)>;
  const char* name;
  const char* summary;
  std::function<Maker(Settings&)> read;
  const char* also = "";  ///< other names of the part, for suggestions

  /// Reads the settings and makes the part.
  Made make(Settings& settings, Context... context) const {
    return read(settings)(std::forward<Context>(context)...);
  }
};

/// Returns the row of a part with `Keys`, a struct with a function read(Reader&). `make` gets the
/// options, the settings that they were read from (to refuse a value that does not fit the
/// context), and the context.
template <class Made, class Keys, class... Context>
Row<std::function<Made(Context...)>> part_with_settings(const char* name, const char* summary,
                                                        Made (*make)(const Keys&, const Settings&,
                                                                     Context...)) {
  return {name, summary, [make](Settings& settings) -> std::function<Made(Context...)> {
            return [make, settings, options = read_options<Keys>(settings)](Context... context) {
              return make(options, settings, std::forward<Context>(context)...);
            };
          }};
}

template <class Made, class Keys, class... Context>
Row<std::function<Made(Context...)>> part_with_settings(const char* name, const char* summary,
                                                        Made (*make)(const Keys&, Context...)) {
  return {name, summary, [make](Settings& settings) -> std::function<Made(Context...)> {
            return [make, options = read_options<Keys>(settings)](Context... context) {
              return make(options, std::forward<Context>(context)...);
            };
          }};
}

/// Keys of a part that has none, but needs the settings to refuse a context.
struct NoOptions {
  void read(Reader&) {}
};

/// Returns the row of a part that has no settings.
template <class Made, class... Context>
Row<std::function<Made(Context...)>> part_without_settings(const char* name, const char* summary,
                                                           Made (*make)(Context...)) {
  return {name, summary, [make](Settings&) -> std::function<Made(Context...)> { return make; }};
}

/// Returns `row` with other names of the part, separated by blanks, for suggestions.
template <class Part>
Row<Part> also_called(const char* names, Row<Part> row) {
  row.also = names;
  return row;
}

/// Returns the names of the rows, for messages.
template <class Maker>
std::vector<std::string> names(std::span<const Row<Maker>> rows) {
  std::vector<std::string> result;
  for (const auto& row : rows) result.emplace_back(row.name);
  return result;
}

/// Returns the rows as the allowed words of the key that chooses one.
template <class Maker>
std::vector<SettingChoice> choices(std::span<const Row<Maker>> rows) {
  std::vector<SettingChoice> result;
  for (const auto& row : rows) result.push_back({row.name, row.summary, row.also});
  return result;
}

/// Returns the row named `name`. Throws std::logic_error if there is none.
template <class Maker>
const Row<Maker>& row(std::span<const Row<Maker>> rows, std::string_view name) {
  for (const auto& entry : rows)
    if (name == entry.name) return entry;
  throw std::logic_error("no row named " + std::string(name));
}

/// If settings are listed, reads those of all parts, as parts that `key` chooses, beginning with
/// `first`.
template <class Maker>
void list(std::span<const Row<Maker>> rows, Settings& settings, std::string_view key,
          const Row<Maker>& first) {
  if (!settings.lists()) return;
  const auto read = [&](const Row<Maker>& row) {
    const Settings::PartScope scope(settings, key, row.name);
    if constexpr (requires { row.read(settings); }) row.read(settings);
    if constexpr (requires { row.make.read_step(settings); })
      if (row.make.read_step != nullptr) row.make.read_step(settings);
  };
  read(first);
  for (const auto& row : rows)
    if (&row != &first) read(row);
}

/// Returns the row that `key` chooses in `settings` (default: `fallback`).
template <class Maker>
const Row<Maker>& choose(std::span<const Row<Maker>> rows, Settings& settings, std::string_view key,
                         std::string_view fallback, std::string_view help) {
  const auto& chosen = row(rows, settings.choice_of(key, fallback, choices(rows), help));
  list(rows, settings, key, chosen);
  return chosen;
}

}  // namespace trilemma
