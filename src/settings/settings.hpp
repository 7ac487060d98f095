#pragma once
// Strict settings. A part reads its own keys; each reading records the key with its default and a
// help line, so the list of keys, the printed defaults and the check for misspelt keys need no
// second list. The only room that includes toml++.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "settings/named_file.hpp"

namespace trilemma {

/// One key that was read.
struct SettingRecord {
  std::string path;           ///< dotted, e.g. "compressor.k"
  std::string value;          ///< in effect, as TOML
  std::string default_value;  ///< as TOML
  std::string help;           ///< what it is, with unit and range
  bool omitted = false;       ///< not part of the resolved configuration
  bool names_file = false;    ///< next to the experiment or in the data folder
};

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

/// Returns whether `path` is the dotted path of a key in the table `section` or in one of its
/// tables.
constexpr bool is_in_section(std::string_view path, std::string_view section) {
  return path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.';
}

/// Returns the last name of a dotted path: "kind" of "compressor.kind".
constexpr std::string_view key_name(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

/// Closed or half-open range of a number.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;
  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  std::string text() const;
};
inline Range positive() { return {.low = 0, .low_open = true}; }
inline Range at_least(double low) { return {.low = low}; }

class SettingsDocument;

/// A node of the configuration. Copies are cheap and share the document.
class Settings {
 public:
  /// Reads FILE (and the files it names with `base`), lays [modes.MODE] and [methods.METHOD] over
  /// it, then `overrides` ("key.path=value"; values that are not TOML are taken as text).
  static Settings from_file(const std::string& file, const std::vector<std::string>& overrides);
  /// The same from text; `name` stands for the file in messages.
  static Settings from_text(const std::string& text, const std::string& name,
                            const std::vector<std::string>& overrides = {});
  /// No key set: readings return the defaults and are recorded.
  static Settings empty() { return from_text("", "defaults"); }

  /// Returns a copy that shares nothing: what it reads is not recorded here.
  Settings copy() const;
  /// The table `name`; it may be absent.
  Settings section(std::string_view name) const;

  /// Readings: the value in the file, or the default. Wrong types and values out of range are
  /// refused with file, line, key, value and what is allowed.
  double number(std::string_view key, double value, const Range& range, std::string_view help);
  long integer(std::string_view key, long value, const Range& range, std::string_view help);
  /// An integer that counts something; the range excludes negative ones.
  std::size_t count(std::string_view key, long value, const Range& range, std::string_view help) {
    return static_cast<std::size_t>(integer(key, value, range, help));
  }
  /// Whole numbers: a list, which may be empty, one alone, or text with dashes between them
  /// ("128-64") for where a list means something else, as on the axes of a sweep.
  std::vector<long> integers(std::string_view key, const std::vector<long>& value,
                             const Range& range, std::string_view help);
  /// Words: texts, or whole numbers, which are taken as texts.
  std::vector<std::string> words(std::string_view key, const std::vector<std::string>& value,
                                 std::string_view help);
  /// Texts: a list, which may be empty, or one alone.
  std::vector<std::string> texts(std::string_view key, const std::vector<std::string>& value,
                                 std::string_view help);
  bool flag(std::string_view key, bool value, std::string_view help);
  std::string text(std::string_view key, std::string_view value, std::string_view help);
  /// Returns the file that the key names, "" for none: the path is relative to the folder of the
  /// file that sets the key, otherwise to the working directory. Every setting that names a file
  /// outside the data folder is read with this function: the absolute path enters the resolved
  /// configuration, the SHA-256 checksum enters the fingerprint and data_files of the run file.
  /// Refuses a name of no file.
  NamedFile file(std::string_view key, std::string_view help);
  /// Reads names of files in the data folder, which the source lists in files().
  std::string data_file(std::string_view key, std::string_view value, std::string_view help);
  std::vector<std::string> data_files(std::string_view key, const std::vector<std::string>& value,
                                      std::string_view help);
  /// One of `choices`.
  std::string choice(std::string_view key, std::string_view value,
                     const std::vector<std::string>& choices, std::string_view help);
  /// A number, or the word that stands for a value computed elsewhere ("theory", "paper").
  std::optional<double> number_or(std::string_view key, std::string_view word, const Range& range,
                                  std::string_view help);
  /// A whole number, or the word that stands for a value found elsewhere.
  std::optional<long> integer_or(std::string_view key, std::string_view word, const Range& range,
                                 std::string_view help);
  /// A number without a default: absent is a value of its own, shown as `absent` in comments.
  std::optional<double> optional_number(std::string_view key, const Range& range,
                                        std::string_view help);

  /// Records such a number as absent, whatever the file says.
  void leave_out(std::string_view key, std::string_view help);

  /// Leaves a key that was read out of the resolved configuration, and so of fingerprints, where it
  /// has its default: for keys that came later, so that experiments without them stay the same.
  void omit_at_default(std::string_view key);

  /// True if the file or the command line sets the key.
  bool has(std::string_view key) const;
  /// Puts `value` for the text of `key` into the resolved configuration, so that it holds elsewhere
  /// too.
  void spell_out(std::string_view key, std::string_view value);
  void spell_out(std::string_view key, long value);
  /// True if the command line sets the key.
  bool commanded(std::string_view key) const;
  /// True if `key` is set above the full path `other`: by the command line, or by a file whose
  /// `base` sets that one.
  bool lies_above(std::string_view key, const std::string& other) const;
  /// True if the file has a layer [family.NAME].
  bool has_layer(std::string_view family, std::string_view name) const;
  /// Refuses the value of `key`: "FILE:LINE: key = value: <problem>".
  [[noreturn]] void refuse(std::string_view key, const std::string& problem) const;

  /// All keys that are set, those of layers too, as they are written and in this order; those of
  /// the tables [[x]] are x[0].KEY, x[1].KEY, ...
  std::vector<SettingEntry> entries() const;
  /// Returns the files that calls of file() have named so far, each once.
  const std::vector<NamedFile>& files() const;
  /// For the configuration of a run file, whose files may no longer exist: they get the checksums
  /// that the run file records. To be called before the files are read.
  void take_recorded_sums(RecordedSums sums);
  /// All readings so far, in order, of the whole document.
  const std::vector<SettingRecord>& records() const;
  /// Refuses keys, of the file, its layers or the command line, that are not in `known`, the keys
  /// of all parts: they are misspelt.
  void refuse_unknown(const std::vector<std::string>& known) const;
  /// Refuses keys of the command line that nobody has read: what was asked for would have no
  /// effect.
  void refuse_unused() const;
  /// Refuses layers [family.NAME] whose name is not in `names`.
  void refuse_unknown_layers(std::string_view family, const std::vector<std::string>& names) const;
  /// Name of the file, for messages.
  const std::string& file() const;
  /// Folder of the file, for paths relative to it; empty for text.
  std::string folder() const;
  /// The same of the file that sets `key`, which may be a base of this one.
  std::string folder_of(std::string_view key) const;

 private:
  Settings(std::shared_ptr<SettingsDocument> document, std::string path)
      : document_(std::move(document)), path_(std::move(path)) {}
  std::string full(std::string_view key) const;
  // True, and recorded, if the key is absent or has the value `word`.
  bool left_to(std::string_view key, std::string_view word, std::string_view help);
  void set_recorded(std::string_view key, const std::string& value);
  void mark_as_file(std::string_view key);
  void record(std::string_view key, std::string value, std::string fallback, std::string_view help);

  std::shared_ptr<SettingsDocument> document_;
  std::string path_;
};

/// The readings as a TOML file: tables, keys in order, help as comments.
std::string to_toml(const std::vector<SettingRecord>& records, bool with_help);

}  // namespace trilemma
