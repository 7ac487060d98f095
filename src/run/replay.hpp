#pragma once
// A run in real time made again on the simulated clock, contact by contact.

#include "comm/placement.hpp"
#include "experiment/plan.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Suffix of the fingerprint of a replay.
inline constexpr const char* replay_mark = "-replay";

/// The settings of the finished run `options.file`. Refuses one that has not ended, or whose
/// numbers are others than this program's.
Settings replayed_settings(const RunOptions& options);
/// Lets the plan of these settings follow the contacts of that run. Refuses a run whose settings
/// this program reads in another way.
void follow_contacts(const RunOptions& options, Plan& plan);
/// Refuses ranks in real time that are too few for it.
void check_ranks(const Plan& plan, const Placement& placement);
/// Where the replay goes if nothing is said: beside the run.
std::string replay_name(const std::string& run);

}  // namespace trilemma
