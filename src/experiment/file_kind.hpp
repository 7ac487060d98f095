#pragma once

#include <string>

namespace trilemma {

// Commands take files of one kind. A file of another one is refused with a sentence that says what
// it is and which command takes it; what is none of them is left to whoever reads the file.

/// Refuses run files and sweeps.
void require_experiment(const std::string& file);
/// Refuses run files and experiments.
void require_sweep(const std::string& file);
/// Refuses experiments and sweeps.
void require_run_file(const std::string& file);

}  // namespace trilemma
