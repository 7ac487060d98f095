#pragma once

#include <string>

namespace trilemma {

// Commands accept files of one kind. These functions throw UserError for a file of another kind,
// naming the kind and the command that accepts it. Files of unknown kind pass; their reader refuses
// them.

/// Throws UserError for run files and sweeps.
void require_experiment(const std::string& file);
/// Throws UserError for run files and experiments.
void require_sweep(const std::string& file);
/// Throws UserError for experiments and sweeps.
void require_run_file(const std::string& file);

}  // namespace trilemma
