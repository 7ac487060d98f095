#include "cli/help.hpp"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <string_view>
#include <vector>

#include "base/standard_output.hpp"
#include "cli/command.hpp"

namespace trilemma {
namespace {

constexpr std::size_t widest = 96;  // --help-all indents by four more

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

// A vertical bar would end a cell of the table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char one : text) escaped += one == '|' ? std::string("\\|") : std::string(1, one);
  return escaped;
}

std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + '.';
}

void add_options(std::string& page, const CLI::App& command) {
  const HelpFormat format;
  page += "\n| argument | meaning |\n| --- | --- |\n";
  for (const bool is_positional : {true, false})
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional() == is_positional && option->get_name() != "--help-all" &&
          option->get_name() != "--help")
        page += fmt::format("| `{}`{} | {} |\n", option->get_name(is_positional, !is_positional),
                            cell(format.make_option_opts(option)), cell(option->get_description()));
}

void add_command(std::string& page, const CLI::App& command, const std::string& name) {
  page += fmt::format("\n## `{}`\n\n{}\n", name, sentence(command.get_description()));
  if (!command.get_options().empty()) add_options(page, command);
  for (const CLI::App* one : commands_of(command))
    add_command(page, *one, name + " " + one->get_name());
}

}  // namespace

std::string HelpFormat::entry(const std::string& left, const std::string& meaning) const {
  const std::string margin(get_column_width(), ' ');
  if (left.size() + 2 > margin.size())
    return "  " + left + "\n" + (meaning.empty() ? "" : wrapped(meaning, margin, margin, widest));
  std::string first = "  " + left;
  first.resize(margin.size(), ' ');
  return wrapped(meaning, first, margin, widest);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

void set_help(CLI::App& program) {
  program.formatter(std::make_shared<HelpFormat>());
  program.set_help_flag("-h,--help", "print this text");
  program.set_help_all_flag("--help-all", "print the help of all commands");
  program.set_version_flag("--version", version_text,
                           "print the version and the processor instructions in use");
  program.require_subcommand(1);
}

std::string command_line_page(const CLI::App& program) {
  std::string page =
      "# Command line\n\n"
      "All commands of the program `trilemma`, with their arguments and options. The text is that "
      "of `trilemma --help-all`;\n"
      "`trilemma reference command-line` prints this page. The exit codes are in "
      "[exit-codes.md](exit-codes.md).\n"
      "\n| command | what it does |\n| --- | --- |\n";
  for (const CLI::App* command : commands_of(program))
    page += fmt::format("| [`{0}`](#trilemma-{0}) | {1} |\n", command->get_name(),
                        cell(command->get_description()));
  for (const CLI::App* command : commands_of(program))
    add_command(page, *command, "trilemma " + command->get_name());
  return page;
}

}  // namespace trilemma
