#pragma once
// The checks of a run file: against its own configuration, and against the same run made again.

#include "claim/verify.hpp"

namespace trilemma {

/// Reads a run file and recomputes its claim from the resolved configuration in it, through the
/// same table of theorems as a run; compares every recorded field and the attributes of the run
/// with the recomputed ones. Throws UserError if the file is not a run file.
Verification verify_file(const std::string& path);

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
