#pragma once
// Compares two run files of one run: the recorded file, and that of a repetition or replay.

#include <span>

#include "base/metric_log.hpp"
#include "claim/difference.hpp"
#include "run/options.hpp"

namespace trilemma {

/// How a run was repeated.
enum class MadeAgain {
  rerun,   ///< from its configuration: all that does not depend on ranks or time is equal
  replay,  ///< from its contacts: what rank 0 records is equal; other ranks do not know in which
           ///< server step of real time they measured something
};

/// Compares the run of `options.file` with the run file `made`, which was repeated or replayed as
/// `options` say: the result of a replay is printed, the differences of a repeated run go to the
/// caller that requested them. Returns an exit code.
int compare_with_recorded(const RunOptions& options, const std::string& made,
                          std::span<const Metric> metrics);

/// Returns the differences of the `recorded` file from the file `made`: columns of `metrics`,
/// models, partition, and the fields that summarize them, to the bit. Reads both in a subprocess.
std::vector<Difference> run_differences(const std::string& recorded, const std::string& made,
                                        std::span<const Metric> metrics, MadeAgain how);

}  // namespace trilemma
