#pragma once
// What is known of one key: its value, where that comes from, what it may be, and what reads it.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "base/check.hpp"

namespace trilemma {

/// Closed or half-open range of a number, and the unit of the number.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;
  std::string_view unit = {};  ///< "s" for example; a literal
  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  /// Returns "a number of at least 1", for example, where `noun` is "a number".
  std::string text(std::string_view noun = "a number") const;
};
inline Range positive() { return {.low = 0, .low_open = true}; }
inline Range at_least(double low) { return {.low = low}; }

/// Where the value of a key comes from; each source takes the place of those before it.
enum class SettingSource : std::uint8_t { default_value, base, experiment, sweep, command_line };

struct Origin {
  SettingSource source = SettingSource::default_value;
  std::uint32_t level =
      0;                  ///< of the file among an experiment and its bases; higher for upper ones
  bool in_layer = false;  ///< in a table [methods.NAME] or [modes.NAME] of that file

  /// Returns whether the key was set for this run: by the command line or by a sweep.
  bool is_asked_for() const { return source >= SettingSource::sweep; }
  /// Returns whether the key is set above a key of origin `other`: in an upper file, or for the
  /// run.
  bool lies_above(const Origin& other) const {
    return std::tuple(source, level) > std::tuple(other.source, other.level);
  }
};

enum class SettingType : std::uint8_t {
  flag,
  number,
  whole_number,
  text,
  file,
  whole_numbers,
  texts,
  files
};

/// One of the words that a key may be set to.
struct SettingChoice {
  std::string name;
  std::string help = {};  ///< empty where the help of the key says it
};

/// A part that reads a key: the key that chooses the part, the part's name, and the default there.
struct SettingReader {
  std::string choice, part, default_value;
};

/// One key that was read.
struct SettingRecord {
  std::string path = {};           ///< dotted, e.g. "compressor.k"
  std::string value = {};          ///< in effect, as TOML; empty = absent
  std::string default_value = {};  ///< as TOML; empty = no default
  std::string help = {};
  SettingType type = SettingType::text;
  Range range = {};                              ///< of numbers
  std::vector<SettingChoice> choices = {};       ///< of words; empty = any text
  std::string word = {};                         ///< text that stands for a value found elsewhere
  std::vector<SettingReader> readers = {};       ///< where all parts are listed
  std::vector<std::string> other_defaults = {};  ///< of other parts with this key, as TOML
  Origin origin = {};

  bool names_file() const { return type == SettingType::file || type == SettingType::files; }
};

/// Returns whether `path` is the dotted path of a key in the table `section` or in one of its
/// tables.
constexpr bool is_in_section(std::string_view path, std::string_view section) {
  return path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.';
}

/// Returns the last name of a dotted path: "kind" of "compressor.kind".
constexpr std::string_view key_name(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

/// A value as it stands in a file.
struct SettingValue {
  /// Empty where it is neither a truth value, a number nor text.
  std::variant<std::monostate, bool, std::int64_t, double, std::string> value;
  std::string toml;
  bool operator==(const SettingValue&) const = default;
};

/// A key as it stands in a file whose keys are not known beforehand.
struct SettingEntry {
  std::string path;  ///< dotted, whether it is written quoted or as tables
  SourcePlace place;
  bool is_list = false;              ///< values in brackets
  std::vector<SettingValue> values;  ///< one, or those of the list
};

}  // namespace trilemma
