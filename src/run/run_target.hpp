#pragma once
// Where a run writes, and what it finds there.

#include <memory>
#include <span>

#include "claim/claim.hpp"
#include "experiment/plan.hpp"
#include "record/checkpoint_file.hpp"
#include "record/run_file.hpp"
#include "run/extension.hpp"
#include "run/options.hpp"

namespace trilemma {

struct RunTarget {
  std::string path;
  bool is_complete = false;  ///< nothing is left to do
  bool overwrite = false;    ///< what is there may be replaced
  std::string replaces;      ///< fingerprint of the only run that may be replaced
  bool extends = false;      ///< the checkpoint is the end of a shorter run
  std::unique_ptr<CheckpointReader> checkpoint;  ///< to resume from; null = start
};

/// What all ranks must know of rank 0's target.
enum class Entry { start, resume, complete, skipped };
inline Entry entry_of(const RunTarget& target) {
  if (target.is_complete) return Entry::complete;
  return target.checkpoint != nullptr ? Entry::resume : Entry::start;
}

/// Chooses the run file: --output, else a numbered name in runs/. With --resume the first name that
/// belongs to this experiment, and its newest checkpoint that is not damaged (where a name in runs/
/// has none, says so); without it a name whose run would be lost is refused. What a file or a
/// checkpoint was made with is compared with the plan, the data of a finished run with those now.
RunTarget choose_target(const RunOptions& options, const Plan& plan);

/// The same for a finished run that gets more rounds: its file, or --output. Resumes from the
/// newest checkpoint of the longer run, else from the state after the last round of the shorter
/// one, else from the start, where the same noise can be made again.
RunTarget choose_extended(const RunOptions& options, const Plan& plan, const Extension& extension);

/// The run file of rank 0 at its target: a new one, or the one of the checkpoint, which becomes
/// that of the longer run where a finished one is extended. Refuses data files that have changed
/// since.
std::unique_ptr<RunFile> open_run(const RunTarget& target, const RunIdentity& id,
                                  std::span<const Metric> metrics, const Claim& claim);

}  // namespace trilemma
