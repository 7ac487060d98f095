#pragma once

#include "cli/command.hpp"

namespace trilemma {

/// `privacy tuning`: what choosing the best of several runs costs.
Command add_tuning_command(CLI::App& family);

}  // namespace trilemma
