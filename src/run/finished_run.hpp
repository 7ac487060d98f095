#pragma once
// Runs that begin with the file of a finished run: extended by more rounds, repeated from its own
// configuration, or, for a run in real time, replayed on the simulated clock, contact by contact.

#include "comm/placement.hpp"
#include "experiment/plan.hpp"
#include "record/run_reader.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// A finished run that is to be extended. The releases so far stay as they are: new rounds have the
/// noise of the old ones, so if that was calibrated to an epsilon for the old number of rounds, the
/// claim is recomputed for all rounds.
struct Extension {
  RunHead run;      ///< the finished run
  long rounds = 0;  ///< its number of rounds; 0: no run is extended
};

/// Reads the finished run `options.file`. Throws UserError for a run that is not complete, an
/// experiment that this program reads differently, and a file with another type of numbers.
Extension extension_of(const RunOptions& options);

/// Returns its settings with `options.rounds_more` more rounds and unchanged noise.
Settings extended_settings(const Extension& extension, const RunOptions& options);

/// Returns why a run cannot be repeated, as far as its file shows; empty if it can.
std::string obstacle_to_repeating(const RunHead& run);

/// Returns the settings of the finished run `options.file`. Throws UserError if the run cannot be
/// repeated.
Settings repeated_settings(const RunOptions& options);
/// Throws UserError for a plan that differs from that run, a run whose data have changed, and a run
/// in real time.
void check_repeated(const RunOptions& options, const Plan& plan);

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
