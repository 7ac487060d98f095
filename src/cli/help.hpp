#pragma once
// The text of --help, and docs/reference/command-line.md, which has the same of all commands.

#include <CLI/CLI.hpp>

#include <string>

namespace trilemma {

/// Formats the text of --help and --help-all in lines of at most 100 columns.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string entry(const std::string& left, const std::string& meaning) const;
};

/// Sets the options --help, --help-all and --version of the program, and the format of their texts.
void set_help(CLI::App& program);

/// Returns the Markdown page docs/reference/command-line.md: a section for each command of
/// `program`, with its arguments and options.
std::string command_line_page(const CLI::App& program);

}  // namespace trilemma
