#pragma once
// Strict settings. A part reads its own keys; each reading records the key with its type, range,
// default and help, so the list of keys, the reference page, the resolved configuration and the
// check for misspelt keys need no second list. The only room that includes toml++.

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
  /// Reads FILE (and the files it names with `base`), lays [modes.MODE] and [methods.METHOD] over
  /// it, then `overrides` ("key.path=value"; values that are not TOML are taken as text).
  /// `asked_by` says who asks for the overrides: the command line, or a sweep.
  static Settings from_file(const std::string& file, const std::vector<std::string>& overrides,
                            SettingSource asked_by = SettingSource::command_line);
  /// The same from text; `name` stands for the file in messages.
  static Settings from_text(const std::string& text, const std::string& name,
                            const std::vector<std::string>& overrides = {});
  /// No key set: readings return the defaults and are recorded.
  static Settings empty() { return from_text("", "defaults"); }
  /// The same, to list the keys of all parts: choose() in table.hpp reads every part of a family,
  /// and when() is true for every condition.
  static Settings listing();
  bool lists() const;
  /// Returns whether keys that are read under `condition` are to be read here.
  bool when(bool condition) const { return condition || lists(); }

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
  /// One of `words`; one of `choices`, which have help of their own.
  std::string choice(std::string_view key, std::string_view value,
                     const std::vector<std::string>& words, std::string_view help);
  std::string choice_of(std::string_view key, std::string_view value,
                        const std::vector<SettingChoice>& choices, std::string_view help);
  /// A number, or the word that stands for a value computed elsewhere ("theory", "paper").
  std::optional<double> number_or(std::string_view key, std::string_view word, const Range& range,
                                  std::string_view help);
  /// A whole number, or the word that stands for a value found elsewhere.
  std::optional<long> integer_or(std::string_view key, std::string_view word, const Range& range,
                                 std::string_view help);
  /// A number without a default: absent is a value of its own, shown as `absent` in comments.
  std::optional<double> optional_number(std::string_view key, const Range& range,
                                        std::string_view help);

  /// Puts the value of `key` that follows from other settings in place of what was read, so that
  /// the resolved configuration means the same without these; nullopt = absent.
  void resolve(std::string_view key, std::string_view value);
  void resolve(std::string_view key, long value);
  void resolve(std::string_view key, std::nullopt_t);

  /// True if a file, the command line or a sweep sets the key.
  bool has(std::string_view key) const;
  /// Returns where the value of the key comes from.
  Origin origin(std::string_view key) const;
  /// While it exists, readings that list all parts are those of `part`, chosen by `choice`.
  class PartScope {
   public:
    PartScope(const Settings& settings, std::string_view choice, std::string_view part);
    ~PartScope();
    PartScope(const PartScope&) = delete;
    PartScope& operator=(const PartScope&) = delete;

   private:
    std::shared_ptr<SettingsDocument> document_;
  };
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
  bool left_to(std::string_view key, const SettingRecord& like);
  SettingRecord* recorded(std::string_view key);
  // Records a reading; `like` has the facts of the key, but not its path and origin.
  void record(std::string_view key, SettingRecord like);

  std::shared_ptr<SettingsDocument> document_;
  std::string path_;
};

/// Returns the readings as a TOML file: tables, keys in order.
std::string to_toml(const std::vector<SettingRecord>& records);
/// Returns the same with help as comments, one choice a line, wrapped at 100 columns.
std::string to_annotated_toml(const std::vector<SettingRecord>& records);
/// Returns the readings as the Markdown page docs/reference/settings.md.
std::string to_markdown(const std::vector<SettingRecord>& records);

}  // namespace trilemma
