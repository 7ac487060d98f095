#include "cli/command.hpp"
#include "core/text.hpp"

namespace trilemma {
namespace {

// The command that was given, which may be one of a command.
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

}  // namespace

std::string unexpected(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const std::string name = command.get_parent() == nullptr ? "trilemma" : command.get_name();
  const auto left = app.remaining(true);
  const std::string first =
      left.empty() ? std::string() : left.front().substr(0, left.front().find('='));
  if (first.size() < 2 || first.front() != '-')
    return shown(first) + ": one argument too many; `" + name + " --help` lists what it takes";
  return shown(first) + ": unknown option of `" + name + "`; " +
         did_you_mean(first, options_of(command), "its --help lists them");
}

}  // namespace trilemma
