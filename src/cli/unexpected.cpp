#include <algorithm>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "experiment/read_plan.hpp"

namespace trilemma {
namespace {

// Returns the given command, which may be a subcommand of another.
const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> found;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) found.push_back("--" + name);
  return found;
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> found;
  for (const auto* one : command.get_subcommands([](const CLI::App*) { return true; }))
    found.push_back(one->get_name());
  return found;
}

// Returns a hint if the option is the name of a setting; otherwise an empty text.
std::string as_setting(const std::string& option, const CLI::App& command) {
  const std::string key = option.substr(std::min(option.size(), option.find_first_not_of('-')));
  if (command.get_option_no_throw("--set") == nullptr) return {};
  std::vector<std::string> found;
  for (const auto& record : all_settings())
    if (record.path == key || key_name(record.path) == key) found.push_back(record.path);
  return found.empty() ? std::string() : "--set " + found.front() + "=VALUE sets it";
}

}  // namespace

std::string unexpected(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const std::string name = command.get_parent() == nullptr ? "trilemma" : command.get_name();
  const auto left = app.remaining(true);
  const std::string first = left.empty() ? std::string() : left.front();
  if (first.starts_with("="))
    return shown(first) + ": one argument too many; write settings without blanks, as KEY=VALUE";
  if (const auto commands = names_of_commands(command);
      !first.starts_with('-') && !commands.empty())
    return shown(first) + ": unknown command of `" + name + "`; " +
           did_you_mean(first, commands, "known are " + join(commands));
  if (first.size() < 2 || first.front() != '-')
    return shown(first) + ": one argument too many; `" + name + " --help` lists what it takes";
  const std::string option = first.substr(0, first.find('='));
  if (option[1] !=
      '-') {  // a single letter, as in other programs: lists options that begin with it
    std::vector<std::string> begun = options_of(command);
    std::erase_if(begun, [&](const std::string& one) { return one[2] != option[1]; });
    return shown(option) + ": unknown option of `" + name +
           "`; options are written with two dashes" +
           (begun.empty() ? "; its --help lists them" : ": " + join(begun));
  }
  const std::string setting = as_setting(option, command);
  return shown(option) + ": unknown option of `" + name + "`; " +
         (setting.empty() ? did_you_mean(option, options_of(command), "its --help lists them")
                          : setting);
}

}  // namespace trilemma
