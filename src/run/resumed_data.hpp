#pragma once
// Data files of a run that is resumed. A file that cannot be read may have changed since the run
// began, for example by an incomplete copy; the error then has to say so.

#include <memory>

#include "data/data_folder.hpp"
#include "experiment/plan.hpp"
#include "federation/partitioned_data.hpp"
#include "run/run_target.hpp"

namespace trilemma {

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
