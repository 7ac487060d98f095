// The text of --help, and docs/reference/command-line.md, which has the same of all commands.

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <string_view>
#include <vector>

#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "experiment/read_plan.hpp"
#include "run/declared_metrics.hpp"

namespace trilemma {
namespace {

constexpr std::size_t widest = 96;  // --help-all indents by four more

// Formats the text of --help and --help-all in lines of at most 100 columns.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(true), command->get_description());
  }

 private:
  std::string entry(const std::string& left, const std::string& meaning) const {
    const std::string margin(get_column_width(), ' ');
    if (left.size() + 2 > margin.size())
      return "  " + left + "\n" + (meaning.empty() ? "" : wrapped(meaning, margin, margin, widest));
    std::string first = "  " + left;
    first.resize(margin.size(), ' ');
    return wrapped(meaning, first, margin, widest);
  }
};

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

// Returns the Markdown page docs/reference/command-line.md: a section for each command of
// `program`, with its arguments and options.
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

}  // namespace

void set_help(CLI::App& program) {
  program.formatter(std::make_shared<HelpFormat>());
  program.set_help_flag("-h,--help", "print this text");
  program.set_help_all_flag("--help-all", "print the help of all commands");
  program.set_version_flag("--version", version_text,
                           "print the version and the processor instructions in use");
  program.require_subcommand(1);
}

Command add_reference_command(CLI::App& parent) {
  auto page = std::make_shared<std::string>();
  auto* reference = parent.add_subcommand("reference", "print a page of the reference");
  reference
      ->add_option("page", *page,
                   "command-line: all commands and options; run-file: the attributes of run files; "
                   "settings: the keys of experiments")
      ->required()
      ->check(CLI::IsMember({"command-line", "run-file", "settings"}));
  return {reference, [page, &parent] {  // the parser writes to it
            print("{}", *page == "settings"   ? settings_reference()
                        : *page == "run-file" ? run_file_reference()
                                              : command_line_page(parent));
            return 0;
          }};
}

}  // namespace trilemma
