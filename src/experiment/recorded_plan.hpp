#pragma once
// The plan of a run file, read from its resolved configuration.

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the plan with the resolved configuration `config`. Files that the settings name need not
/// exist any longer: they are represented by their checksums in `data_files`, a text of the run
/// file (empty: unknown). A file that has to be read must have this checksum. Throws UserError for
/// a configuration that this program does not accept; `path` names the run file in messages.
Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path);

}  // namespace trilemma
