#pragma once
// Where the file of a run is, and what is there already.

#include <string>

#include "experiment/plan.hpp"
#include "record/run_reader.hpp"

namespace trilemma {

/// What a run file says of its experiment; nothing where it cannot be read.
RunHead head_or_none(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Describes in which settings, and in the content of which files that they name, a run differs
/// from a plan. The head may come from any file.
std::string difference_in_words(const RunHead& there, const Plan& plan);

/// Waits for at most ten seconds until nobody writes the file: a run whose launcher was killed may
/// need a moment to die.
void wait_for_writer(const std::string& path);

/// runs/NAME-METHOD-sSEED.h5, or with the first number behind it that is free: runs that
/// differ in other settings have the same name, and none is lost. To resume: the unfinished run of
/// the plan, else a finished one, else the free name. Refuses to resume an unfinished run of the
/// same settings that was started with files of another content.
std::string default_path(const Plan& plan, bool resume);

}  // namespace trilemma
