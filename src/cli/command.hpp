#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace trilemma {

struct GraphQuestion;

/// A subcommand: its parser, and a function that runs it and returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

/// Sets the options --help, --help-all and --version of the program, and the format of their texts.
void set_help(CLI::App& program);
/// Returns the output of --version: the program, and the instructions that it uses on this
/// processor.
std::string version_text();

/// Returns a sentence about the first argument that no command accepts, after the others have been
/// parsed.
std::string unexpected(const CLI::App& app);

/// Adds all subcommands of the program; argc and argv are passed to MPI.
std::vector<Command> add_commands(CLI::App& parent, int argc, char** argv);
/// Add `trilemma list`, `partition` and `verify`, which answer without running an experiment.
Command add_list_command(CLI::App& parent);
Command add_partition_command(CLI::App& parent);
Command add_verify_command(CLI::App& parent);
/// Adds `trilemma graph`, which reports properties of the graphs of decentralised methods.
Command add_graph_command(CLI::App& parent);
/// Adds `trilemma privacy epsilon|sigma|rounds|rate|curve|delta|rdp`, the accountants.
std::vector<Command> add_privacy_commands(CLI::App& parent);
/// Adds `trilemma privacy network`, the privacy of nodes against each other.
Command add_network_privacy_command(CLI::App& family);
/// Adds the command `privacy tuning` to `family` and returns it. The command computes the privacy
/// loss of choosing the best of several runs.
Command add_tuning_command(CLI::App& family);

/// Adds `trilemma audit`, an attack on a claim.
Command add_audit_command(CLI::App& parent, int argc, char** argv);
/// Adds `trilemma mean`, the errors of private mechanisms in estimating a mean.
Command add_mean_command(CLI::App& parent, int argc, char** argv);
/// Add `trilemma calibrate` and `predict`, which measure a network and predict times on it.
Command add_calibrate_command(CLI::App& parent, int argc, char** argv);
Command add_predict_command(CLI::App& parent);
/// Adds `trilemma bench`, a validated figure of merit of the machine.
Command add_bench_command(CLI::App& parent, int argc, char** argv);
/// Adds `trilemma check-model`, which tries the promises of a model of the user's own.
Command add_check_model_command(CLI::App& parent, int argc, char** argv);
/// Adds `trilemma sweep`, which runs many variants of an experiment.
Command add_sweep_command(CLI::App& parent, int argc, char** argv);

/// Adds `trilemma reference`, which prints pages of docs/reference.
Command add_reference_command(CLI::App& parent);

/// Adds the option --mpi, which Session looks for.
void add_mpi_flag(CLI::App& app);

/// Adds the option --set; add_data_folder() adds --data-dir: options of commands that read an
/// experiment.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);
void add_data_folder(CLI::App& app, std::string& folder);

/// Adds the options that describe a graph beyond its kind and number of nodes: weights, rows,
/// probability, file, seed. Parsing writes to `question`, which must outlive `app`.
void add_graph_options(CLI::App& app, GraphQuestion& question);

/// Calls `answer`. In its UserErrors, a mistake of a setting has no place, since no file holds the
/// setting.
void without_place(const std::function<void()>& answer);

}  // namespace trilemma
