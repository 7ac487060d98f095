#pragma once
// Repeats a finished run from its own configuration, to compare the complete contents of its file.

#include "claim/verify.hpp"
#include "run/repeated.hpp"

namespace trilemma {

/// The result of repeating a run.
struct Rerun {
  std::string obstacle;                 ///< reason why it could not be repeated, otherwise empty
  std::string circumstances;            ///< other causes of differences, otherwise empty
  std::vector<Difference> differences;  ///< between the recorded file and the repeated run

  /// Returns whether the repeated run has the same columns and models, to the bit.
  bool agrees() const { return obstacle.empty() && differences.empty(); }
};

/// Repeats the run of the file `path` in this process, in a temporary folder ($TMPDIR) that is
/// deleted afterwards.
Rerun rerun(const std::string& path, const std::string& data_folder);

/// Adds the result of `rerun` to the verdict: a run is unchecked if it cannot be repeated, or if it
/// differs and was made on another processor or by another program; any other difference is a
/// failure.
void take_in(const Rerun& rerun, Verification& verification);

}  // namespace trilemma
