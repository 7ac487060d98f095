#pragma once
// How a run chooses its output path: decision tables over what exists there and what is requested.

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiment/data_files.hpp"
#include "experiment/plan.hpp"
#include "record/checkpoint_file.hpp"
#include "run/finished_run.hpp"
#include "run/options.hpp"

namespace trilemma {

/// The request: a run; one with --resume; more rounds for a finished run. `_over`: with
/// --overwrite.
enum class Asked : std::size_t { start, start_over, resume, resume_over, extend, extend_over };

/// The request for an output path. References must outlive it.
struct TargetRequest {
  const RunOptions& options;
  const Plan& plan;
  const std::string& path;
  const Extension* before = nullptr;  ///< the finished run that is extended
  bool in_place = false;              ///< whether `path` is its file

  Asked asked() const {
    const Asked asked = before != nullptr ? Asked::extend
                        : options.resume  ? Asked::resume
                                          : Asked::start;
    return static_cast<Asked>(static_cast<std::size_t>(asked) + (options.overwrite ? 1 : 0));
  }
};

/// A row of a decision table: the actions for `found`, in the order of Asked.
template <class Found, class Action>
struct Decision {
  Found found;
  std::array<Action, 6> actions;
};

/// Returns the action of the row `found` for the request.
template <class Found, class Action>
Action decide(std::span<const Decision<Found, Action>> table, Found found, Asked asked) {
  for (const auto& row : table)
    if (row.found == found) return row.actions[static_cast<std::size_t>(asked)];
  throw std::logic_error("no decision for what was found at an output path");
}

/// Returns whether the requested run is complete. Throws UserError rather than lose an existing
/// file.
bool is_finished(const TargetRequest& request);

/// Returns the checkpoint from which the run resumes; nullptr = it starts. Throws UserError rather
/// than lose what an unfinished run has saved, and reports rounds that are computed again.
std::unique_ptr<CheckpointReader> checkpoint_for(const TargetRequest& request);

/// Describes, in a subprocess, in which settings the run of a file differs from a plan.
std::string difference_apart(const std::string& path, const RunHead& there, const Plan& plan);
/// Returns the data files that have changed since the run of `head`.
std::vector<ChangedFile> changed_data(const TargetRequest& request, const RunHead& head);
/// Throws UserError for numbers of another width.
[[noreturn]] void refuse_width(const std::string& path, const std::string& width);

}  // namespace trilemma
