// Arguments -> command -> exit code.

#include <CLI/CLI.hpp>

#include <cstdio>

#include "core/check.hpp"
#include "experiment/commands.hpp"
#include "record/version.hpp"

namespace {

std::string joined(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) line += (i > 0 ? " " : "") + std::string(argv[i]);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trilemma;
  CLI::App app{"Trilemma: privacy, utility and communication in federated optimization"};
  app.set_version_flag("--version", program_version());
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of all commands");

  RunOptions options;
  auto* run = app.add_subcommand("run", "run an experiment, alone or under mpirun/srun");
  run->add_option("file", options.file, "experiment file (TOML)")->required();
  auto* set = run->add_option("--set", options.overrides, "override a setting: key.path=value");
  set->take_all()->expected(1)->allow_extra_args(false);
  run->add_option("--output", options.output,
                  "run file to write (default: runs/NAME-METHOD-MODE-sSEED.h5)");
  run->add_option("--data-dir", options.data_folder,
                  "data directory (default: $TRILEMMA_DATA_DIR, else data)");
  run->add_flag("--quiet", options.quiet, "no progress, no summary");

  std::string family;
  auto* list = app.add_subcommand("list", "list algorithms, compressors and all other parts");
  list->add_option("family", family, "one family only");

  std::string run_file;
  bool json = false;
  auto* show = app.add_subcommand("show", "summary of a run file");
  show->add_option("file", run_file, "run file (.h5, or .h5.partial of an unfinished run)")
      ->required();
  show->add_flag("--json", json, "as JSON");

  std::string config_file;
  bool defaults = false;
  std::vector<std::string> config_overrides;
  auto* config = app.add_subcommand("config", "resolved configuration with help for every key");
  config->add_option("file", config_file,
                     "experiment file (TOML); without it: all keys and defaults");
  config->add_flag("--defaults", defaults, "all keys of all parts with their defaults");
  config->add_option("--set", config_overrides, "override a setting")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_user;
  }
  options.command_line = joined(argc, argv);
  try {
    if (run->parsed()) return run_command(options, argc, argv);
    if (list->parsed()) return list_command(family);
    if (show->parsed()) return show_command(run_file, json);
    return config_command(defaults ? "" : config_file, config_overrides);
  } catch (const UserError& error) {
    std::fprintf(stderr, "trilemma: %s\n", error.what());
    return exit_user;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trilemma: %s\n", error.what());
    return exit_internal;
  }
}
