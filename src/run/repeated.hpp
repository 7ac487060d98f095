#pragma once
// Settings of a finished run that is repeated from its own configuration.

#include "experiment/plan.hpp"
#include "record/run_reader.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Returns why a run cannot be repeated, as far as its file shows; empty if it can.
std::string obstacle_to_repeating(const RunHead& run);

/// Returns the settings of the finished run `options.file`. Throws UserError if the run cannot be
/// repeated.
Settings repeated_settings(const RunOptions& options);
/// Throws UserError for a plan that differs from that run, a run whose data have changed, and a run
/// in real time.
void check_repeated(const RunOptions& options, const Plan& plan);

}  // namespace trilemma
