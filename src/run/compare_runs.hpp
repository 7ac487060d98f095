#pragma once
// Two run files of one run: the recorded one, and one that was made again.

#include <span>

#include "claim/difference.hpp"
#include "core/journal.hpp"
#include "run/options.hpp"

namespace trilemma {

/// How a run was made again.
enum class MadeAgain {
  rerun,   ///< from its configuration: all that does not depend on ranks or time is the same
  replay,  ///< from its contacts: what rank 0 records is, for the others cannot tell in which
           ///< server step of real time they measured something
};

/// Compares the run of `options.file` with the one at `made`, which was made again as they say: a
/// replay is told about, the differences of a repeated run go to whoever has asked for it. Returns
/// an exit code.
int compare_with_recorded(const RunOptions& options, const std::string& made,
                          std::span<const Metric> metrics);

/// What the recorded file has otherwise than the one that was made again: columns of `metrics`,
/// models, partition, and what sums them up, to the bit. Reads both in a process of its own.
std::vector<Difference> run_differences(const std::string& recorded, const std::string& made,
                                        std::span<const Metric> metrics, MadeAgain how);

}  // namespace trilemma
