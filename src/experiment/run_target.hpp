#pragma once
// Where a run writes, and what it finds there.

#include <memory>

#include "experiment/commands.hpp"
#include "experiment/plan.hpp"
#include "record/checkpoint_file.hpp"

namespace trilemma {

struct RunTarget {
  std::string path;
  bool is_complete = false;                      ///< nothing is left to do
  bool overwrite = false;                        ///< what is there may be replaced
  std::unique_ptr<CheckpointReader> checkpoint;  ///< to go on from; null = start
};

/// Chooses the run file: --output, else a numbered name in runs/. With --resume the first name that
/// belongs to this experiment, and its newest checkpoint that is not damaged (where a name in runs/
/// has none, says so); without it a name whose run would be lost is refused. What a file or a
/// checkpoint was made with is compared with the plan, the data of a finished run with those now.
RunTarget choose_target(const RunOptions& options, const Plan& plan);

}  // namespace trilemma
