#pragma once

#include "cli/command.hpp"

namespace trilemma {

/// Adds `privacy tuning`, the privacy loss of choosing the best of several runs.
Command add_tuning_command(CLI::App& family);

}  // namespace trilemma
