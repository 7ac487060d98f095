#pragma once
// The experiment of a run file, from the resolved configuration in it.

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the plan of the run. Files that its settings name need not exist any longer: they count
/// by their checksums in `data_files`, the text of the run file (empty: not known), and a file that
/// has to be read must have this checksum. Refuses a configuration that is not one of this program;
/// `path` names the run file in messages.
Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path);

}  // namespace trilemma
