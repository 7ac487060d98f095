#pragma once
// Repeats a finished run from its own configuration, to compare all contents of its file.

#include "claim/verify.hpp"
#include "run/repeated.hpp"

namespace trilemma {

/// The result of repeating a run.
struct Rerun {
  std::string obstacle;                 ///< why it could not be repeated, otherwise empty
  std::string circumstances;            ///< other causes of differences, otherwise empty
  std::vector<Difference> differences;  ///< of the recorded file from the repeated run
};

/// Repeats the run of the file `path` in this process, in a temporary folder ($TMPDIR) that is
/// deleted afterwards.
Rerun rerun(const std::string& path, const std::string& data_folder);

/// Adds the result of `rerun` to the verdict: a run that cannot be repeated, or that another
/// processor or program has made with other results, is unchecked; any other difference is a
/// failure.
void take_in(const Rerun& rerun, Verification& verification);

}  // namespace trilemma
