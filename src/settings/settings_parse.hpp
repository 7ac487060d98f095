#pragma once
// From text to TOML (private to core/settings): refuses what would overflow the stack or fill the
// memory before toml++ sees it.

#include <toml++/toml.h>

#include <string>

namespace trilemma {

/// Parses the text of a file; `name` stands for the file in messages. Refuses, with the line: what
/// is no TOML, keys of too many parts, too many brackets inside each other; texts that are too
/// long.
toml::table parse_settings(const std::string& text, const std::string& name);

/// Reads and parses a file. Refuses what is not a regular file.
toml::table parse_settings_file(const std::string& file);

/// "key.path=value" of the command line as a table; a value that is no TOML is taken as text, so
/// that words need no quotes. Refuses line breaks: behind one, another setting could follow.
toml::table parse_override(const std::string& text);

}  // namespace trilemma
