#pragma once
// Parsing and layering of configuration files (private to core/settings).

#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "core/settings.hpp"

namespace trilemma {

class SettingsDocument {
 public:
  SettingsDocument(toml::table table, std::string file)
      : table_(std::move(table)), file_(std::move(file)) {}

  /// Lays the selected overlays and the command line over the file.
  void resolve(const std::vector<std::string>& overrides);

  /// The node at a dotted path, or nullptr.
  const toml::node* find(const std::string& path) const;
  /// A key that is set somewhere: its path and where it stands.
  struct Leaf {
    std::string path;
    std::string place;
    bool overlay;  ///< in the layer of a method or mode, perhaps not the chosen one
  };
  /// All keys of the resolved table and of every overlay.
  std::vector<Leaf> leaves() const;
  /// Names of the layers of a family ("methods", "modes"), in the field `path`.
  std::vector<Leaf> layers(std::string_view family) const;
  /// "FILE:LINE" of the node at the path.
  std::string place(const std::string& path) const;

  std::vector<SettingRecord> records;
  std::set<std::string> read;
  std::set<std::string> from_command_line;
  const std::string& file() const { return file_; }

  /// Reads a file and the chain of `base` files under it.
  static toml::table parse_file(const std::string& file, int depth = 0);

 private:
  void overlay(const char* family, const char* selector);

  toml::table table_;
  std::string file_;
  toml::table overlays_;  // the layers of all methods and modes, kept for the check of their keys
};

/// A node as TOML text on one line.
std::string as_toml(const toml::node& node);

}  // namespace trilemma
