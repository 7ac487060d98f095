#pragma once
// The experiment of a run file, from the resolved configuration in it.

#include "plan/plan.hpp"

namespace trilemma {

/// Its plan. Files that its settings name need not exist any longer: they count by the sums of
/// `data_files`, the text of the run file (empty: not known), and a file that has to be read must
/// have this sum. Refuses what is not a configuration of this program; `path` is the run file, for
/// messages.
Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path);

}  // namespace trilemma
