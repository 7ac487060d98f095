#pragma once
// Data files of a run that is resumed: one that cannot be read may have changed since the run
// began, as by a copy that was cut off, which is what has to be said then.

#include <memory>

#include "data/data_folder.hpp"
#include "experiment/plan.hpp"
#include "federation/partitioned_data.hpp"
#include "run/run_target.hpp"

namespace trilemma {

/// Reads the plan. Where that is refused and data files have changed since the run under --output
/// that is resumed, refuses them for it.
Plan read_plan_to_resume(const Settings& settings, DataFolder& data, const RunOptions& options);

/// Reads and spreads the records; those of a process without MPI are kept for its next run. Where
/// that is refused and data files have changed since the checkpoint of `target`, refuses them for
/// it.
std::shared_ptr<const PartitionedData> records_of_run(const Plan& plan, const RunTarget& target,
                                                      const RunOptions& options,
                                                      Placement& placement);

}  // namespace trilemma
