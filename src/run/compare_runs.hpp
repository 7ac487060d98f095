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
  replay,  ///< from its contacts: what rank 0 records is equal; other ranks do not know in which
           ///< server step of real time they measured something
};

/// Compares the run of `options.file` with the run file `made` of its repetition or replay, as
/// `options` say: prints the result of a replay, and passes the differences of a repeated run to
/// the caller that requested them. Returns an exit code.
int compare_with_recorded(const RunOptions& options, const std::string& made,
                          std::span<const Metric> metrics);

/// Returns the differences between the `recorded` file and the file `made`: columns of `metrics`,
/// models, partition, and the fields that summarise them, to the bit. Reads both in a subprocess.
std::vector<Difference> run_differences(const std::string& recorded, const std::string& made,
                                        std::span<const Metric> metrics, MadeAgain how);

}  // namespace trilemma
