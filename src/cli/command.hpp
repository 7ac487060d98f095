#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace trilemma {

/// A subcommand: how it was called, and what it does; the result is the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

/// For --version: of the program, and what it computes with here.
std::string version_text();

/// What is wrong with the first argument that no command takes, once the others have been parsed.
std::string unexpected(const CLI::App& app);

/// All subcommands of the program; argc and argv are for MPI.
std::vector<Command> add_commands(CLI::App& parent, int argc, char** argv);
/// `trilemma list`, `partition` and `verify`, which answer without running anything.
Command add_list_command(CLI::App& parent);
Command add_partition_command(CLI::App& parent);
Command add_verify_command(CLI::App& parent);
/// `trilemma privacy epsilon|sigma|rounds|rate|curve|delta|rdp`: the accountants.
std::vector<Command> add_privacy_commands(CLI::App& parent);
/// `trilemma audit`: an attack on a claim.
Command add_audit_command(CLI::App& parent, int argc, char** argv);
/// `trilemma calibrate` and `predict`: what a network takes.
Command add_calibrate_command(CLI::App& parent, int argc, char** argv);
Command add_predict_command(CLI::App& parent);
/// `trilemma sweep`: many runs of one experiment.
Command add_sweep_command(CLI::App& parent, int argc, char** argv);

/// `trilemma reference`: pages of docs/reference that the program writes.
Command add_reference_command(CLI::App& parent);

/// The option --mpi, which Session looks for.
void add_mpi_flag(CLI::App& app);

/// The options --set and --data-dir of the commands that read an experiment.
void add_overrides(CLI::App& app, std::vector<std::string>& overrides);
void add_data_folder(CLI::App& app, std::string& folder);

}  // namespace trilemma
