#pragma once
// Extension of a finished run by more rounds. The releases so far stay as they are: new rounds have
// the noise of the old ones, so if that was calibrated to an epsilon for the old number of rounds,
// the claim is recomputed for all rounds.

#include "record/run_reader.hpp"
#include "run/options.hpp"
#include "settings/settings.hpp"

namespace trilemma {

struct Plan;

/// A finished run that is to be extended.
struct Extension {
  RunHead run;      ///< the finished run
  long rounds = 0;  ///< its number of rounds; 0: no run is extended
};

/// Reads the finished run `options.file`. Throws UserError for a run that is not complete, an
/// experiment that this program reads differently, and a file with another type of numbers.
Extension extension_of(const RunOptions& options);

/// Returns its settings with `options.rounds_more` more rounds and unchanged noise.
Settings extended_settings(const Extension& extension, const RunOptions& options);

}  // namespace trilemma
