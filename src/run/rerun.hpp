#pragma once
// A finished run made again from its own configuration, to compare all that its file says.

#include "claim/verify.hpp"
#include "run/repeated.hpp"

namespace trilemma {

/// What came of repeating a run.
struct Rerun {
  std::string obstacle;                 ///< why it could not be repeated, else empty
  std::string circumstances;            ///< what else may make it differ, else empty
  std::vector<Difference> differences;  ///< of the recorded file to the repeated run
};

/// Repeats the run of a file in this process, into a temporary folder ($TMPDIR) that is deleted.
Rerun rerun(const std::string& path, const std::string& data_folder);

/// Takes what came of it into the verdict: a run that cannot be repeated, or that another processor
/// or program has made with other results, is unchecked; another difference is a failure.
void take_in(const Rerun& rerun, Verification& verification);

}  // namespace trilemma
