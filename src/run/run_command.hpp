#pragma once

#include "run/options.hpp"

namespace trilemma {

/// Runs an experiment, with or without MPI. Returns the exit code.
int run_command(const RunOptions& options, int argc, char** argv);

}  // namespace trilemma
