#pragma once
// Replay of a run in real time on the simulated clock, contact by contact.

#include "comm/placement.hpp"
#include "experiment/plan.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Suffix of the fingerprint of a replay.
inline constexpr const char* replay_mark = "-replay";

/// Returns the settings of the finished run `options.file`. Throws UserError for a run that is not
/// complete, or whose type of numbers differs from this program's.
Settings replayed_settings(const RunOptions& options);
/// Makes the plan of these settings follow the contacts of that run. Throws UserError for a run
/// whose settings this program reads differently.
void follow_contacts(const RunOptions& options, Plan& plan);
/// Throws UserError if there are too few ranks for a run in real time.
void check_ranks(const Plan& plan, const Placement& placement);
/// Returns the default path of the replay: next to the run.
std::string replay_name(const std::string& run);

}  // namespace trilemma
