#pragma once
// The plan of a run file, read from its resolved configuration.

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the plan with the resolved configuration `config` of the run file `path`, which is used
/// in messages only. `data_files` is the text /environment/data_files of the run file, the
/// checksums of its files; empty = unknown. Files that the settings name need not exist any longer,
/// since their checksums represent them; a file that has to be read must have its recorded
/// checksum. Throws UserError if this program does not accept the configuration.
Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path);

}  // namespace trilemma
