#pragma once

#include "run/options.hpp"

namespace trilemma {

/// Runs an experiment under MPI (or alone); the exit code.
int run_command(const RunOptions& options, int argc, char** argv);

}  // namespace trilemma
