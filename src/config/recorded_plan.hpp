#pragma once
// The experiment of a run file, from the resolved configuration in it.

#include "plan/plan.hpp"

namespace trilemma {

/// Its plan. The start model is named in it, but need not exist any longer. Refuses what is
/// not a configuration of this program; `path` is the run file, for messages.
Plan recorded_plan(const std::string& config, const std::string& path);

}  // namespace trilemma
