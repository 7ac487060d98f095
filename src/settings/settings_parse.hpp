#pragma once
// Parses TOML (private to src/settings). Text that would overflow the stack or exhaust the memory
// is refused before toml++ reads it.

#include <toml++/toml.h>

#include <string>

namespace trilemma {

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
