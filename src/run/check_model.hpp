#pragma once
// `trilemma check-model`: which promises a model of the user's own keeps.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "problem/plugin/model_check.hpp"

namespace trilemma {

/// Command-line options of `trilemma check-model`.
struct CheckModelOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::string data_folder;  ///< empty: $TRILEMMA_DATA_DIR, otherwise data
  double seconds = std::numeric_limits<double>::infinity();  ///< for the comparison of slopes
  bool json = false;
};

/// The answer, of all ranks.
struct ModelAnswer {
  std::string file, sum, name;  ///< of the library, its SHA-256, and what the model calls itself
  ModelOrigins origins;         ///< of all ranks
  std::size_t parameters = 0, records = 0;
  ModelPromises promises;
  SlopeError slopes;
  bool renews = true;  ///< a second model of the same process gives the same bits
  int ranks = 1;
  bool agree = true;  ///< all ranks have the same bits; true on one
  /// Returns whether the slopes that were tried are right.
  bool follows_slope() const { return slopes.largest < largest_slope_error; }
  /// Returns whether no broken promise was found.
  bool keeps() const { return promises.hold() && follows_slope() && renews && agree; }
  /// Returns whether all promises were tried, and are kept.
  bool holds() const { return keeps() && slopes.is_complete; }
};

/// Returns the answer as a table.
std::string to_text(const ModelAnswer& answer);

/// Checks the model of an experiment on records of its largest client, on every rank of a job, and
/// prints the answer on rank 0 by `print`. Returns 0, exit_claim_fails if a promise is broken,
/// or exit_claim_unchecked if the time did not suffice.
int check_model(const CheckModelOptions& options,
                const std::function<void(const ModelAnswer&)>& print, int argc, char** argv);

}  // namespace trilemma
