#pragma once
// Names of run files, and what exists under them.

#include <string>

#include "experiment/plan.hpp"
#include "record/run_reader.hpp"

namespace trilemma {

/// Returns what a run file records about its experiment; an empty head if it cannot be read.
RunHead head_or_none(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Describes in which settings, and in the content of which named files, a run differs from a plan.
/// The head may come from any file.
std::string difference_in_words(const RunHead& there, const Plan& plan);

/// Waits for at most ten seconds until no process writes the file: a run whose launcher was killed
/// may need a moment to end.
void wait_for_writer(const std::string& path);

/// Returns runs/NAME-METHOD-sSEED.h5, with the first free number appended if that exists: runs that
/// differ in other settings have the same name, and none is overwritten. With `resume`: the
/// unfinished run of the plan, otherwise a finished one, otherwise the free name. Throws UserError
/// for an unfinished run of the same settings that was started with files of different content.
std::string default_path(const Plan& plan, bool resume);

}  // namespace trilemma
