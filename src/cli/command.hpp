#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace trilemma {

/// A subcommand: how it was called, and what it does; the result is the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

/// All subcommands of the program; argc and argv are for MPI.
std::vector<Command> add_commands(CLI::App& parent, int argc, char** argv);
/// `trilemma privacy epsilon|sigma|rounds|rate|curve|delta|rdp`: the accountants.
std::vector<Command> add_privacy_commands(CLI::App& parent);
/// `trilemma audit`: an attack on a claim.
Command add_audit_command(CLI::App& parent, int argc, char** argv);
/// `trilemma sweep`: many runs of one experiment.
Command add_sweep_command(CLI::App& parent, int argc, char** argv);

}  // namespace trilemma
