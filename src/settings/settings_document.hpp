#pragma once
// Parsing and layering of configuration files (private to src/settings). Text that would overflow
// the stack or exhaust the memory is refused before toml++ reads it.

#include <toml++/toml.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "settings/named_file.hpp"
#include "settings/setting_record.hpp"

namespace trilemma {

class SettingsDocument {
 public:
  /// Reads a file and the chain of its `base` files.
  static SettingsDocument from_file(const std::string& file);
  /// Reads a text; messages use `name` in place of a file name.
  static SettingsDocument from_text(const std::string& text, const std::string& name);

  /// Applies the selected layers and then the command line to the table.
  void resolve(const std::vector<std::string>& overrides, SettingSource asked_by);

  /// Returns the node at a dotted path, or nullptr.
  const toml::node* find(const std::string& path) const;
  /// A key or layer that is set, with its path or name and its place.
  struct Leaf {
    std::string path;
    std::string place;
    std::uint32_t layer = 0;
    std::uint32_t line = 0;
  };
  /// Returns all keys of the resolved table and, without their prefix, of every layer: those of the
  /// command line, of the file, and of its bases, each in the order of the lines. A key of a chosen
  /// layer occurs twice.
  std::vector<Leaf> leaves() const;
  /// Returns the layers of a family ("methods" or "modes").
  std::vector<Leaf> layers(std::string_view family) const;
  /// Returns "FILE:LINE" of the node at the path, "--set" for the command line.
  std::string place(const std::string& path) const { return source_place(path).text(); }
  /// Returns the place of the node at the path.
  SourcePlace source_place(const std::string& path) const;
  /// Returns the origin of the value at the path.
  Origin origin_of(const std::string& path) const;
  /// Returns the file that sets the path; for the command line and keys that are not set, the
  /// document's own file.
  const std::string& file_of(const std::string& path) const;

  /// Returns all keys of the resolved table, and of all layers under their full names, in the order
  /// of the file.
  std::vector<SettingEntry> entries() const;

  std::vector<SettingRecord> records;
  std::vector<NamedFile> files;
  std::optional<RecordedSums> recorded_sums;  ///< set for a run file, whose files need not exist
  std::set<std::string> read;
  std::set<std::string> from_command_line;
  bool lists = false;  ///< whether the keys of all parts are listed
  /// Nested parts whose keys are being listed; the last one is current.
  std::vector<SettingReader> parts;
  const std::string& file() const { return file_; }

 private:
  explicit SettingsDocument(std::string file) : file_(std::move(file)) {}
  void read_file(const std::string& file, int depth);
  void lay(const toml::table& upper, const std::string& file);
  void lift_over_layers(toml::table upper);
  void overlay(const char* family, const char* selector);

  toml::table table_;
  std::string file_;
  /// Place where a key is set; `line` and `column` give the order within a file.
  struct Place {
    std::string text;
    std::string file = {};
    std::uint32_t line = 0, column = 0;
    std::uint32_t layer = 0;  ///< higher layers override lower ones; 0 = not set
    bool in_layer = false;    ///< whether it is in a layer of a method or a mode
  };
  std::map<std::string, Place> places_;
  std::uint32_t layers_laid_ = 0;
  SettingSource asked_by_ = SettingSource::command_line;
  toml::table overlays_;  // the layers of all methods and modes, stored for the check of their keys
};

/// Returns a node as TOML text on one line.
std::string as_toml(const toml::node& node);

/// Returns a floating-point node as an integer; empty if the node is not floating-point, has a
/// fraction or is too large.
std::string whole_text(const toml::node& node);

/// Returns the whole numbers of a list, of a single number or of text with dashes between the
/// numbers; nullopt if the node contains anything else.
std::optional<std::vector<long>> whole_numbers(const toml::node& node);

/// Returns the numbers of a list, or a single number; nullopt if the node contains anything else.
std::optional<std::vector<double>> real_numbers(const toml::node& node);

/// Parses the text of a file; messages use `name` in place of a file name. Throws UserError, with
/// the line, for invalid TOML, keys with too many parts, brackets that are nested too deep, and
/// texts that are too long.
toml::table parse_settings(const std::string& text, const std::string& name);

/// Reads and parses a file. Throws UserError unless it is a regular file.
toml::table parse_settings_file(const std::string& file);

/// Parses "key.path=value" of the command line. A value that is not valid TOML is taken as text, so
/// that words need no quotes. Refuses line breaks, since another setting could follow one.
toml::table parse_override(const std::string& text);

}  // namespace trilemma
