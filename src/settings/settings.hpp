#pragma once
// Strict settings. A part reads its own keys, and each call records the key with its type, range,
// default and help. The list of keys, the reference page, the resolved configuration and the check
// for misspelt keys therefore need no second list. Only src/settings includes toml++.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/named_file.hpp"
#include "settings/setting_record.hpp"

namespace trilemma {

class SettingsDocument;

/// A node of the configuration. Copies are cheap and share the document.
class Settings {
 public:
  /// Reads `file` and the files that it names with `base`, then applies the layers [modes.MODE] and
  /// [methods.METHOD], then `overrides` ("key.path=value"; a value that is not valid TOML is taken
  /// as text). `asked_by` is the source of the overrides: the command line or a sweep. Throws
  /// UserError if a file cannot be read or parsed.
  static Settings from_file(const std::string& file, const std::vector<std::string>& overrides,
                            SettingSource asked_by = SettingSource::command_line);
  /// Does the same for a text; messages use `name` in place of a file name.
  static Settings from_text(const std::string& text, const std::string& name,
                            const std::vector<std::string>& overrides = {});
  /// Returns settings in which no key is set: reading a key returns its default and records it.
  static Settings empty() { return from_text("", "defaults"); }
  /// Returns empty settings that list the keys of all parts: choose() in table.hpp reads every part
  /// of a family, and when() is true for every condition.
  static Settings listing();
  bool lists() const;
  /// Returns `condition`, or true if the keys of all parts are listed.
  bool when(bool condition) const { return condition || lists(); }

  /// Returns an independent copy; keys that the copy reads are not recorded here.
  Settings copy() const;
  /// Returns the table `name`, which may be absent. Throws UserError if `name` is not a table.
  Settings section(std::string_view name) const;

  /// The following functions return the value of `key`, or the given default if no source sets it,
  /// and record the key. They throw UserError, with file, line, key, value and the allowed values,
  /// if the value has the wrong type or is out of range.
  double number(std::string_view key, double value, const Range& range, std::string_view help);
  long integer(std::string_view key, long value, const Range& range, std::string_view help);
  /// Reads an integer as a count; `range` must exclude negative numbers.
  std::size_t count(std::string_view key, long value, const Range& range, std::string_view help) {
    return static_cast<std::size_t>(integer(key, value, range, help));
  }
  /// Reads whole numbers: a list, which may be empty, a single number, or text with dashes between
  /// the numbers ("128-64"). The text form serves where a list has another meaning, as on the axes
  /// of a sweep.
  std::vector<long> integers(std::string_view key, const std::vector<long>& value,
                             const Range& range, std::string_view help);
  /// Reads a list of numbers, which may be empty, or a single number.
  std::vector<double> numbers(std::string_view key, const std::vector<double>& value,
                              const Range& range, std::string_view help);
  /// Reads a list of texts, in which whole numbers are taken as texts.
  std::vector<std::string> words(std::string_view key, const std::vector<std::string>& value,
                                 std::string_view help);
  /// Reads a list of texts, which may be empty, or a single text.
  std::vector<std::string> texts(std::string_view key, const std::vector<std::string>& value,
                                 std::string_view help);
  bool flag(std::string_view key, bool value, std::string_view help);
  std::string text(std::string_view key, std::string_view value, std::string_view help);
  /// Returns the file that the key names, unset for an empty text. The path is relative to the
  /// folder of the file that sets the key, otherwise to the working directory. Every setting that
  /// names a file outside the data folder is read with this function: the absolute path enters the
  /// resolved configuration, the SHA-256 checksum enters the fingerprint and data_files of the run
  /// file. Throws UserError if the file does not exist.
  NamedFile file(std::string_view key, std::string_view help);
  /// Reads names of files in the data folder, which the data source lists in its files().
  std::string data_file(std::string_view key, std::string_view value, std::string_view help);
  std::vector<std::string> data_files(std::string_view key, const std::vector<std::string>& value,
                                      std::string_view help);
  /// Reads one of `words`, or one of `choices`, which have their own help.
  std::string choice(std::string_view key, std::string_view value,
                     const std::vector<std::string>& words, std::string_view help);
  std::string choice_of(std::string_view key, std::string_view value,
                        const std::vector<SettingChoice>& choices, std::string_view help);
  /// Reads a number, or `word`, which stands for a value computed elsewhere ("theory", "paper") and
  /// gives nullopt.
  std::optional<double> number_or(std::string_view key, std::string_view word, const Range& range,
                                  std::string_view help);
  /// Does the same with a number as default.
  std::optional<double> number_or(std::string_view key, double value, std::string_view word,
                                  const Range& range, std::string_view help);
  /// Reads a whole number, or `word`, which stands for a value determined elsewhere and gives
  /// nullopt.
  std::optional<long> integer_or(std::string_view key, std::string_view word, const Range& range,
                                 std::string_view help);
  /// Does the same with a whole number as default.
  std::optional<long> integer_or(std::string_view key, long value, std::string_view word,
                                 const Range& range, std::string_view help);
  /// Reads a number without a default; nullopt if the key is absent.
  std::optional<double> optional_number(std::string_view key, const Range& range,
                                        std::string_view help);

  /// Replaces the recorded value of `key` by `value`, which follows from other settings, so that
  /// the resolved configuration has the same meaning without them; nullopt = absent.
  void resolve(std::string_view key, std::string_view value);
  void resolve(std::string_view key, long value);
  void resolve(std::string_view key, double value);
  void resolve(std::string_view key, std::nullopt_t);
  /// A template, so that text is not taken for a flag.
  template <std::same_as<bool> Flag>
  void resolve(std::string_view key, Flag value) {
    if (auto* entry = recorded(key); entry != nullptr) entry->value = value ? "true" : "false";
  }

  /// Returns whether a file, the command line or a sweep sets the key.
  bool has(std::string_view key) const;
  /// Returns whether the key is set to the text `word`.
  bool says(std::string_view key, std::string_view word) const;
  /// Returns the origin of the key's value.
  Origin origin(std::string_view key) const;
  /// During the lifetime of this object, keys of a listing are recorded as read by `part`, which
  /// the key `choice` chooses.
  class PartScope {
   public:
    PartScope(const Settings& settings, std::string_view choice, std::string_view part);
    ~PartScope();
    PartScope(const PartScope&) = delete;
    PartScope& operator=(const PartScope&) = delete;

   private:
    std::shared_ptr<SettingsDocument> document_;
  };
  /// Returns whether the file has a layer [family.NAME].
  bool has_layer(std::string_view family, std::string_view name) const;
  /// Throws UserError for the value of `key`: "FILE:LINE: key = value: <problem>".
  [[noreturn]] void refuse(std::string_view key, const std::string& problem) const;

  /// Returns all keys that are set, including those of layers, in the order of the file. Keys of
  /// tables [[x]] are x[0].KEY, x[1].KEY, ...
  std::vector<SettingEntry> entries() const;
  /// Returns the files that calls of file() have named so far, without repetition.
  const std::vector<NamedFile>& files() const;
  /// Sets the checksums of files for the configuration of a run file, whose files may no longer
  /// exist. Must be called before the files are read.
  void take_recorded_sums(RecordedSums sums);
  /// Returns the records of all keys that have been read so far in the whole document, in order.
  const std::vector<SettingRecord>& records() const;
  /// Throws UserError if the file, its layers or the command line set keys that are not in `known`,
  /// the keys of all parts: such keys are misspelt.
  void refuse_unknown(const std::vector<std::string>& known) const;
  /// Throws UnreadSetting if a key of the command line has not been read, since it would have no
  /// effect.
  void refuse_unused() const;
  /// Throws UserError if the name of a layer [family.NAME] is not in `names`.
  void refuse_unknown_layers(std::string_view family, const std::vector<std::string>& names) const;
  /// Returns the name of the file, for messages.
  const std::string& file() const;
  /// Returns the folder of the file, for paths relative to it; empty for text.
  std::string folder() const;
  /// Returns the folder of the file that sets `key`, which may be a base of this file.
  std::string folder_of(std::string_view key) const;

 private:
  Settings(std::shared_ptr<SettingsDocument> document, std::string path)
      : document_(std::move(document)), path_(std::move(path)) {}
  std::string full(std::string_view key) const;
  // Read a number and record it as `like`, whose value they fill in.
  double number_like(std::string_view key, double value, SettingRecord like);
  long integer_like(std::string_view key, long value, SettingRecord like);
  // Returns true, and records the key, if it is absent or has the value of `like.word`.
  bool left_to(std::string_view key, const SettingRecord& like);
  SettingRecord* recorded(std::string_view key);
  // Read texts and record them as `like`, whose value and default they fill in.
  std::string text_like(std::string_view key, std::string_view value, SettingRecord like);
  std::vector<std::string> texts_like(std::string_view key, const std::vector<std::string>& value,
                                      SettingRecord like);
  // Records a key; `like` has all its properties except its path and origin.
  void record(std::string_view key, SettingRecord like);

  std::shared_ptr<SettingsDocument> document_;
  std::string path_;
};

/// Returns `records` as a TOML file with tables; the keys keep their order.
std::string to_toml(const std::vector<SettingRecord>& records);
/// Returns the same with the help texts as comments, wrapped at 100 columns, one choice per line.
std::string to_annotated_toml(const std::vector<SettingRecord>& records);
/// Returns `records` as the Markdown page docs/reference/settings.md.
std::string to_markdown(const std::vector<SettingRecord>& records);

}  // namespace trilemma
