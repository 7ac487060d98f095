#pragma once
// The settings of a finished run that is made again from its own configuration.

#include "plan/plan.hpp"
#include "record/run_reader.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Why a run cannot be repeated, as far as its file says; empty where it can.
std::string obstacle_to_repeating(const RunHead& run);

/// The settings of the finished run `options.file`. Refuses one that cannot be repeated.
Settings repeated_settings(const RunOptions& options);
/// Refuses a plan that differs from that run, whose data have changed or that is in real time.
void check_repeated(const RunOptions& options, const Plan& plan);

}  // namespace trilemma
