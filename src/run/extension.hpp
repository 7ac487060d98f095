#pragma once
// A finished run that gets more rounds. What has been released is kept as it was: the noise of the
// new rounds is that of the old ones, so where it was made for an epsilon at the old number of
// rounds, the claim is recomputed for all of them.

#include "record/run_reader.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

struct Plan;

struct Extension {
  RunHead run;      ///< of the finished run
  long rounds = 0;  ///< that it has; 0: nothing is extended
};

/// Reads the finished run `options.file`. Refuses one that has not ended, one of an experiment that
/// this program reads in another way, and one with other numbers.
Extension extension_of(const RunOptions& options);

/// Its settings with `options.rounds_more` more rounds, and the noise as it was.
Settings extended_settings(const Extension& extension, const RunOptions& options);

}  // namespace trilemma
