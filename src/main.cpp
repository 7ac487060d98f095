// Arguments -> command -> exit code.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "numeric/vectors.hpp"

namespace {
// What only the package of analysis/ does, and is looked for here.
constexpr std::string_view analysis_commands[] = {"best",    "cost",   "curves",  "export",
                                                  "network", "report", "scaling", "simulated",
                                                  "table",   "verdict"};

// Exit code of a command that ended with `code`, unless what it printed could not be written.
int printed(int code) {
  try {
    trilemma::flush_standard_output();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trilemma: %s\n", error.what());
    if (code == 0) return trilemma::exit_internal;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trilemma;
  // A file size limit arrives as an error of the write, which names it.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Trilemma: privacy, utility and communication in federated optimization",
               "trilemma"};
  set_help(app);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("trilemma: ") + error.what() + "; --help lists commands and options\n";
  });
  const auto commands = add_commands(app, argc, argv);
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(names, argv[1]) == names.end()) {
    const bool is_analysis =
        std::ranges::find(analysis_commands, argv[1]) != std::end(analysis_commands);
    std::fprintf(
        stderr, "trilemma: %s: unknown command; %s\n", shown(argv[1], 40).c_str(),
        is_analysis
            ? fmt::format(
                  "that is `scripts/python -m trilemma_analysis {}`, with analysis in PYTHONPATH",
                  argv[1])
                  .c_str()
            : did_you_mean(argv[1], names, "`trilemma --help` lists them").c_str());
    return exit_user;
  }
  try {
    limit_vectors_by_environment();
    app.parse(argc, argv);
    for (const auto& command : commands)
      if (command.app->parsed()) return printed(command.run());
  } catch (const CLI::ParseError& error) {
    // What is missing may be there, misspelt.
    const bool in_excess = error.get_exit_code() != 0 && !app.remaining(true).empty();
    if (!in_excess) return app.exit(error) == 0 ? printed(0) : exit_user;
    std::fprintf(stderr, "trilemma: %s\n", unexpected(app).c_str());
    return exit_user;
  } catch (const UserError& error) {
    std::fprintf(stderr, "trilemma: %s\n", printable(error.what()).c_str());
    return exit_user;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trilemma: %s\n", printable(error.what()).c_str());
  }
  return exit_internal;
}
