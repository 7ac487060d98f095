#pragma once
// How a run chooses its output path: tables of what is found there and what is asked for.

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiment/data_files.hpp"
#include "experiment/plan.hpp"
#include "record/checkpoint_file.hpp"
#include "run/extension.hpp"
#include "run/options.hpp"

namespace trilemma {

/// The command: a run; one with --resume; more rounds for a finished run. `_over`: with
/// --overwrite.
enum class Asked : std::size_t { start, start_over, resume, resume_over, extend, extend_over };

/// What is asked for at an output path. References must outlive it.
struct TargetRequest {
  const RunOptions& options;
  const Plan& plan;
  const std::string& path;
  const Extension* before = nullptr;  ///< the finished run that is extended
  bool in_place = false;              ///< `path` is its file

  Asked asked() const {
    const Asked asked = before != nullptr ? Asked::extend
                        : options.resume  ? Asked::resume
                                          : Asked::start;
    return static_cast<Asked>(static_cast<std::size_t>(asked) + (options.overwrite ? 1 : 0));
  }
};

/// A row of a decision table: what is done about `found`, in the order of Asked.
template <class Found, class Action>
struct Decision {
  Found found;
  std::array<Action, 6> actions;
};

/// The action of the row `found` for what is asked.
template <class Found, class Action>
Action decide(std::span<const Decision<Found, Action>> table, Found found, Asked asked) {
  for (const auto& row : table)
    if (row.found == found) return row.actions[static_cast<std::size_t>(asked)];
  throw std::logic_error("no decision for what was found at an output path");
}

/// Whether the run that is asked for is complete. Refuses to lose what has the run file's name.
bool is_finished(const TargetRequest& request);

/// The checkpoint from which the run resumes; nullptr = it starts. Refuses to lose what an
/// unfinished run has saved, and says which rounds are computed again.
std::unique_ptr<CheckpointReader> checkpoint_for(const TargetRequest& request);

/// Describes, in a process of its own, in which settings the run of a file differs from a plan.
std::string difference_apart(const std::string& path, const RunHead& there, const Plan& plan);
/// The data files that have changed since the run of `head`.
std::vector<ChangedFile> changed_data(const TargetRequest& request, const RunHead& head);
/// Refuses numbers of another width.
[[noreturn]] void refuse_width(const std::string& path, const std::string& width);

}  // namespace trilemma
