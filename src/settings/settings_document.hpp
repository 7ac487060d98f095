#pragma once
// Parsing and layering of configuration files (private to this room).

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
  /// Reads a file and the chain of `base` files under it.
  static SettingsDocument from_file(const std::string& file);
  /// Reads text; `name` stands for the file in messages.
  static SettingsDocument from_text(const std::string& text, const std::string& name);

  /// Lays the selected overlays and the command line over the file.
  void resolve(const std::vector<std::string>& overrides, SettingSource asked_by);

  /// The node at a dotted path, or nullptr.
  const toml::node* find(const std::string& path) const;
  /// A key or layer that is set somewhere: its path or name, and where it stands.
  struct Leaf {
    std::string path;
    std::string place;
    std::uint32_t layer = 0;
    std::uint32_t line = 0;
  };
  /// All keys of the resolved table and, without their prefix, of every overlay: those of the
  /// command line, of the file, and of the files below it, each in the order of its lines. What a
  /// chosen overlay sets is there twice.
  std::vector<Leaf> leaves() const;
  /// The layers of a family ("methods", "modes").
  std::vector<Leaf> layers(std::string_view family) const;
  /// "FILE:LINE" of what is set at the path, "--set" for the command line.
  std::string place(const std::string& path) const { return source_place(path).text(); }
  /// The same as a value.
  SourcePlace source_place(const std::string& path) const;
  /// Where the value at the path comes from.
  Origin origin_of(const std::string& path) const;
  /// The file that sets the path; for the command line and what nobody sets, the document's.
  const std::string& file_of(const std::string& path) const;

  /// All keys of the resolved table, and of all overlays under their full names, in the order in
  /// which they are written.
  std::vector<SettingEntry> entries() const;

  std::vector<SettingRecord> records;
  std::vector<NamedFile> files;
  std::optional<RecordedSums> recorded_sums;  ///< of a run file, whose files are not searched for
  std::set<std::string> read;
  std::set<std::string> from_command_line;
  bool lists = false;                ///< the keys of all parts
  std::vector<SettingReader> parts;  ///< whose keys are being listed; the last one reads
  const std::string& file() const { return file_; }

 private:
  explicit SettingsDocument(std::string file) : file_(std::move(file)) {}
  void read_file(const std::string& file, int depth);
  void lay(const toml::table& upper, const std::string& file);
  void lift_over_layers(toml::table upper);
  void overlay(const char* family, const char* selector);

  toml::table table_;
  std::string file_;
  /// Where something is set; the numbers give the order within a file.
  struct Place {
    std::string text;
    std::string file = {};
    std::uint32_t line = 0, column = 0;
    std::uint32_t layer = 0;  ///< higher ones lie above; 0 = not set
    bool in_layer = false;    ///< of a method or a mode
  };
  std::map<std::string, Place> places_;
  std::uint32_t layers_laid_ = 0;
  SettingSource asked_by_ = SettingSource::command_line;
  toml::table overlays_;  // the layers of all methods and modes, kept for the check of their keys
};

/// A node as TOML text on one line.
std::string as_toml(const toml::node& node);

/// A number with a point or an exponent as an integer is written; empty if it has a fraction, is no
/// such number or too large for one.
std::string whole_text(const toml::node& node);

/// The whole numbers of a list, of one number or of text with dashes between them; nothing if the
/// value is something else or holds something else.
std::optional<std::vector<long>> whole_numbers(const toml::node& node);

}  // namespace trilemma
