#include <cstdio>
#include <memory>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/command.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/unread.hpp"
#include "experiment/words.hpp"
#include "record/summary.hpp"
#include "run/finished_run.hpp"
#include "run/machine.hpp"
#include "run/options.hpp"

namespace trilemma {
namespace {

// Prints the summary of a run file.
int show_command(const std::string& file, bool json) {
  require_run_file(file);
  const Summary summary = read_summary(file);
  print("{}{}", json ? to_json(summary) : to_text(summary), json ? "\n" : "");
  require(summary.content != Content::changed, "{}", changed_content(file));
  return 0;
}

// Shows one file after the other; of several, one that cannot be read is reported and skipped.
// Returns the exit code of the first that cannot be read.
int show_all(const std::vector<std::string>& files, bool json) {
  const bool several = files.size() > 1;
  int code = 0;
  for (const auto& file : files) {
    if (several && !json) print("{}{}:\n", &file == &files.front() ? "" : "\n", file);
    try {
      const int found = run_in_subprocess(file, [&] { return show_command(file, json); });
      if (code == 0) code = found;
    } catch (const UserError& error) {
      if (!several) throw;
      flush_standard_output();
      std::fprintf(stderr, "trilemma: %s\n", printable(error.what()).c_str());
      if (code == 0) code = exit_user;
    }
  }
  return code;
}

struct ConfigOptions {
  std::string file, data_folder;
  bool defaults = false;
  std::vector<std::string> overrides;
};

// Prints the resolved configuration of a file, or all keys with their defaults.
int config_command(const ConfigOptions& options) {
  if (options.defaults || options.file.empty()) {
    require(options.overrides.empty(),
            "--set: changes an experiment; name its file, and leave out --defaults");
    print("{}", to_annotated_toml(all_settings()));
    return 0;
  }
  DataFolder data(data_folder(options.data_folder));
  require_experiment(options.file);
  const Settings settings = Settings::from_file(options.file, options.overrides);
  const Plan plan = read_named_plan(settings, &data);
  print("{}", plan.annotated);
  if (const auto unread = unread_keys(settings); !unread.empty())
    print("\n{}", wrapped(fmt::format("Set, but not read by {} and the chosen parts: {}",
                                      plan.method_name, printable(with_readers(unread))),
                          "# ", "# ", 100));
  return 0;
}

Command add_run(CLI::App& parent, int argc, char** argv) {
  auto options = std::make_shared<RunOptions>();
  for (int i = 0; i < argc; ++i) options->command_line += (i > 0 ? " " : "") + std::string(argv[i]);
  auto* run = parent.add_subcommand("run", "run an experiment, alone or under mpirun/srun");
  run->add_option("file", options->file, "experiment file (TOML), or a run file with --rounds-more")
      ->required();
  add_overrides(*run, options->overrides);
  run->add_option(
      "--output", options->output,
      "run file to write (default: runs/NAME-METHOD-sSEED.h5); missing folders are created");
  add_data_folder(*run, options->data_folder);
  run->add_flag("--resume", options->resume,
                "resume from the newest checkpoint of the run file; if there is none, start "
                "at round 0");
  run->add_option("--rounds-more", options->rounds_more,
                  "extend the finished run in this run file by this many rounds, in place or into "
                  "--output; if the command is killed, repeat it to resume; if it has finished in "
                  "place, repeating it adds rounds again")
      ->check(CLI::Range(1L, 4000000000L))
      ->excludes("--resume");
  run->add_flag(
      "--overwrite", options->overwrite,
      "replace an existing run file of this name, or an unfinished run that has a "
      "checkpoint; an unfinished run at --output that has no checkpoint is started over even "
      "without this flag");
  run->add_flag("--quiet", options->quiet, "print no progress and no summary");
  add_mpi_flag(*run);
  return {run, [options, argc, argv] { return run_command(*options, argc, argv); }};
}

Command add_replay(CLI::App& parent, int argc, char** argv) {
  auto options = std::make_shared<RunOptions>();
  options->replays = true;
  for (int i = 0; i < argc; ++i) options->command_line += (i > 0 ? " " : "") + std::string(argv[i]);
  auto* replay = parent.add_subcommand(
      "replay",
      "replay a real-time run on the simulated clock, contact by contact, with bit-identical "
      "results");
  replay->add_option("file", options->file, "run file of a run with clock.time = \"real\"")
      ->required();
  replay->add_option("--output", options->output,
                     "run file to write (default: next to the original, with -replay in its name)");
  add_data_folder(*replay, options->data_folder);
  replay->add_flag("--overwrite", options->overwrite,
                   "replace an existing run file or unfinished run of this name");
  replay->add_flag("--quiet", options->quiet, "print no progress and no summary");
  add_mpi_flag(*replay);
  return {replay, [options, argc, argv] {
            if (options->output.empty()) options->output = replay_name(options->file);
            return run_command(*options, argc, argv);
          }};
}

Command add_show(CLI::App& parent) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  auto* show = parent.add_subcommand("show", "summarise run files");
  show->add_option("file", *files, "run files (.h5, or .h5.partial of an unfinished run)")
      ->required();
  show->add_flag("--json", *json, "print JSON, one object per file");
  return {show, [files, json] { return show_all(*files, *json); }};
}

// Refuses an empty value for every option and argument of a command and its subcommands: it usually
// comes from an unset variable, and would silently mean the default.
void refuse_empty_values(CLI::App& command) {
  const auto problem = [](const std::string& value) {
    return value.empty() ? std::string(
                               "an empty value, as from a variable that is not set; give a value, "
                               "or leave the option out")
                         : std::string();
  };
  for (CLI::Option* option : command.get_options())
    if (option->get_expected_max() > 0)
      option->transform(
          CLI::Validator([problem](std::string& value) { return problem(value); }, ""));
  for (CLI::App* one : command.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_values(*one);
}

Command add_config(CLI::App& parent) {
  auto options = std::make_shared<ConfigOptions>();
  auto* config =
      parent.add_subcommand("config", "print the resolved configuration with help for every key");
  config->add_option("file", options->file,
                     "experiment file (TOML); without it, print all keys and defaults");
  config->add_flag("--defaults", options->defaults,
                   "print all keys of all parts with their defaults");
  add_overrides(*config, options->overrides);
  add_data_folder(*config, options->data_folder);
  return {config, [options] { return config_command(*options); }};
}

}  // namespace

std::string version_text() {
  return fmt::format("{}\nkernels: {}", program_version(), processor_in_use().description);
}

void add_mpi_flag(CLI::App& app) {
  app.add_flag_function(
         "--mpi", [](std::int64_t) {},
         "start MPI even if no known launcher has started this process")
      ->disable_flag_override();
}

void add_overrides(CLI::App& app, std::vector<std::string>& overrides) {
  app.add_option("--set", overrides, "override a setting: key.path=value")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

void add_data_folder(CLI::App& app, std::string& folder) {
  app.add_option("--data-dir", folder, "data directory (default: $TRILEMMA_DATA_DIR, else data)");
}

std::vector<Command> add_commands(CLI::App& parent, int argc, char** argv) {
  std::vector<Command> commands = {add_run(parent, argc, argv),
                                   add_replay(parent, argc, argv),
                                   add_sweep_command(parent, argc, argv),
                                   add_partition_command(parent),
                                   add_list_command(parent),
                                   add_graph_command(parent),
                                   add_show(parent),
                                   add_verify_command(parent),
                                   add_audit_command(parent, argc, argv),
                                   add_mean_command(parent, argc, argv),
                                   add_calibrate_command(parent, argc, argv),
                                   add_predict_command(parent),
                                   add_bench_command(parent, argc, argv),
                                   add_check_model_command(parent, argc, argv),
                                   add_config(parent),
                                   add_reference_command(parent)};
  for (auto& command : add_privacy_commands(parent)) commands.push_back(std::move(command));
  for (auto* command : parent.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_values(*command);
  return commands;
}

}  // namespace trilemma
