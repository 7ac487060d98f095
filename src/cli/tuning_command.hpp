#pragma once

#include "cli/command.hpp"

namespace trilemma {

/// Adds the command `privacy tuning` to `family` and returns it. The command computes the privacy
/// loss of choosing the best of several runs.
Command add_tuning_command(CLI::App& family);

}  // namespace trilemma
