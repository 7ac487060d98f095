#pragma once
// Comparison of two run files of one run: the recorded file, and that of a repetition or replay.

#include <span>

#include "base/metric_log.hpp"
#include "claim/difference.hpp"
#include "run/options.hpp"

namespace trilemma {

/// How a run was repeated.
enum class MadeAgain {
  rerun,   ///< from its configuration: everything that does not depend on ranks or time is equal
  replay,  ///< from its recorded contacts: what rank 0 records is equal; in real time, other ranks
           ///< do not know to which server step their measurements belong
};

/// Compares the run file `options.file` with `made`, the file of its rerun or replay, and passes
/// the differences to options.compared, if that is set. After a replay, also prints the result.
/// Returns an exit code: 0 after a rerun or if there are no differences, otherwise exit_failed_run.
int compare_with_recorded(const RunOptions& options, const std::string& made,
                          std::span<const Metric> metrics);

/// Returns the differences between the run files `recorded` and `made`, whose columns of `metrics`,
/// accuracies by class, models, partition, and fields that summarise them must be equal to the bit.
/// Reads both files in a subprocess.
std::vector<Difference> run_differences(const std::string& recorded, const std::string& made,
                                        std::span<const Metric> metrics, MadeAgain how);

}  // namespace trilemma
