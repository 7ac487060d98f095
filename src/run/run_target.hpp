#pragma once
// The target of a run: its file, and what exists there.

#include <memory>
#include <span>

#include "claim/claim.hpp"
#include "data/data_folder.hpp"
#include "experiment/plan.hpp"
#include "federation/partitioned_data.hpp"
#include "record/checkpoint_file.hpp"
#include "record/run_file.hpp"
#include "run/finished_run.hpp"
#include "run/options.hpp"

namespace trilemma {

/// Target of a run.
struct RunTarget {
  std::string path;
  bool is_complete = false;  ///< whether the run is complete already
  bool overwrite = false;    ///< whether an existing file may be replaced
  std::string replaces;      ///< fingerprint of the only run that may be replaced
  bool extends = false;      ///< whether the checkpoint is the end of a shorter run
  std::unique_ptr<CheckpointReader> checkpoint;  ///< checkpoint to resume from; null = start
};

/// State of rank 0's target, as all ranks must know it.
enum class Entry { start, resume, complete, skipped };
inline Entry entry_of(const RunTarget& target) {
  if (target.is_complete) return Entry::complete;
  return target.checkpoint != nullptr ? Entry::resume : Entry::start;
}

/// Chooses the run file: --output, otherwise a numbered name in runs/. With --resume, takes the
/// first name that belongs to this experiment, and its newest intact checkpoint (prints a note if a
/// name in runs/ has none); otherwise throws UserError for a name whose run would be lost. Compares
/// the plan with that of an existing file or checkpoint, and the data of a finished run with the
/// current data.
RunTarget choose_target(const RunOptions& options, const Plan& plan);

/// Chooses the target of a finished run that is extended: its file, or --output. Resumes from the
/// newest checkpoint of the longer run, otherwise from the state after the last round of the
/// shorter one, otherwise from the start if the same noise can be drawn again.
RunTarget choose_extended(const RunOptions& options, const Plan& plan, const Extension& extension);

/// Returns the run file of rank 0 at its target: a new one, or the one in the checkpoint, which
/// becomes the file of the longer run if a finished run is extended. Throws UserError if data files
/// have changed since.
std::unique_ptr<RunFile> open_run(const RunTarget& target, const RunIdentity& id,
                                  std::span<const Metric> metrics, const Claim& claim);

// A file that cannot be read may have changed since the run began, for example by an incomplete
// copy; the error then has to say so.

/// Reads the plan. If that fails and data files have changed since the run under --output that is
/// resumed, throws UserError about the changed files instead.
Plan read_plan_to_resume(const Settings& settings, DataFolder& data, const RunOptions& options);

/// Reads and distributes the records; a process without MPI keeps them for its next run. If that
/// fails and data files have changed since the checkpoint of `target`, throws UserError about the
/// changed files instead.
std::shared_ptr<const PartitionedData> records_of_run(const Plan& plan, const RunTarget& target,
                                                      const RunOptions& options,
                                                      Placement& placement);

}  // namespace trilemma
