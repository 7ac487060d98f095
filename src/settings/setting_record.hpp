#pragma once
// The record of one key: its value, the origin of the value, the allowed values, and the parts that
// read it.

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
  std::string_view unit = {};  ///< such as "s"; a string literal
  bool operator==(const Range&) const = default;
  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  /// Describes the range; for example "a number of at least 1" if `noun` is "a number".
  std::string text(std::string_view noun = "a number") const;
};
inline Range positive() { return {.low = 0, .low_open = true}; }
inline Range at_least(double low) { return {.low = low}; }

/// Source of a key's value. Each source overrides those before it.
enum class SettingSource : std::uint8_t { default_value, base, experiment, sweep, command_line };

/// Origin of a key's value: its source, and its place among the files of an experiment.
struct Origin {
  SettingSource source = SettingSource::default_value;
  std::uint32_t level = 0;  ///< of the file in the chain of an experiment and its bases; a file has
                            ///< a higher level than its base
  bool in_layer = false;    ///< in a table [methods.NAME] or [modes.NAME] of that file

  /// Returns whether the command line or a sweep sets the key.
  bool is_asked_for() const { return source >= SettingSource::sweep; }
  /// Returns whether this source overrides that of a key of origin `other`.
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
  numbers,
  texts,
  files
};

/// One of the allowed words of a key.
struct SettingChoice {
  std::string name;
  std::string help = {};  ///< empty if the help of the key explains the word
  std::string also = {};  ///< other names of the same, separated by blanks, for suggestions
  bool operator==(const SettingChoice&) const = default;
};

/// A part that reads a key: the key that chooses the part, and the name of the part.
struct SettingReader {
  std::string choice, part;
  bool operator==(const SettingReader&) const = default;
};

/// One key that has been read.
struct SettingRecord {
  std::string path = {};           ///< dotted, e.g. "compressor.k"
  std::string value = {};          ///< in effect, as TOML; empty = absent
  std::string default_value = {};  ///< as TOML; empty = no default
  std::string help = {};
  SettingType type = SettingType::text;
  Range range = {};                         ///< of numbers
  std::vector<SettingChoice> choices = {};  ///< allowed words; empty = any text
  std::string word = {};                    ///< word that stands for a value determined elsewhere
  std::vector<SettingReader> readers = {};  ///< filled if the keys of all parts are listed
  Origin origin = {};
  /// How other parts read the key, where their default, type, range, words or help differ; each
  /// with the parts that read it so.
  std::vector<SettingRecord> others = {};

  bool names_file() const { return type == SettingType::file || type == SettingType::files; }
  /// Returns whether a part that reads the key as `other` needs no description of its own.
  bool reads_like(const SettingRecord& other) const {
    return default_value == other.default_value && help == other.help && type == other.type &&
           range == other.range && choices == other.choices && word == other.word;
  }
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

/// A value as written in a file.
struct SettingValue {
  /// Empty if the value is not a truth value, a number or a text.
  std::variant<std::monostate, bool, std::int64_t, double, std::string> value;
  std::string toml;
  bool operator==(const SettingValue&) const = default;
};

/// A key as written in a file whose keys are not known in advance.
struct SettingEntry {
  std::string path;  ///< dotted, however the file writes it
  SourcePlace place;
  bool is_list = false;              ///< values in brackets
  std::vector<SettingValue> values;  ///< one value, or the elements of the list
};

}  // namespace trilemma
