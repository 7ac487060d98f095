#pragma once
// Promises that a model of the user's own must keep, tried on some records.

#include <functional>
#include <string>

#include "problem/plugin/model_library.hpp"
#include "problem/problem.hpp"
#include "settings/named_file.hpp"

namespace trilemma {

/// A problem that calls a library of the user.
class OwnModel : public Problem {
 public:
  /// Returns what the model calls itself.
  virtual const std::string& name() const = 0;
  /// Returns the file that problem.library names.
  virtual const NamedFile& file() const = 0;
  /// Returns what has been imported until now.
  virtual ModelOrigins origins() = 0;
  /// From now on, or no longer, a call throws RunFailure if it changes x or the records.
  virtual void watch_inputs(bool watch) = 0;
};

/// What was found on the first records of a shard, at most eight.
struct ModelPromises {
  /// The same call gives the same bits, whatever was called between.
  bool repeats = true;
  /// The gradients of the records add up to the gradient of the batch, within 1e-4 of its norm.
  bool adds_up = true;
  /// The gradient of a record does not depend on the other records of the call, within 1e-4 of its
  /// norm; holds by construction where the library offers no gradients of single records.
  bool separates = true;
  /// Why the gradient of a single record cannot be had, which then does not separate; empty = it
  /// can.
  std::string failure = {};
  bool hold() const { return repeats && adds_up && separates; }
};
/// Tries the promises next to x, since at a start of zeros derivatives can vanish. Throws
/// RunFailure as ModelLibrary does, unless only gradients of single records fail, and if a call
/// changes x or the records.
ModelPromises promises_of(OwnModel& model, const Dataset& shard, ConstView x);

/// What slope_error() found.
struct SlopeError {
  double largest = 0;
  std::size_t directions = 0;  ///< that were tried
  bool is_complete = true;     ///< whether these are all
};
/// Finds the largest difference, over 64 directions, between the slope of the loss (central
/// differences, the best of four steps) and the gradient along the direction, relative to the
/// larger of this slope and 1 % of the gradient's norm. The directions are, in each of 32 blocks of
/// parameters, the gradient's and a random one. Rounding and kinks (ReLU) explain some 0.02; from
/// 0.05 on, the gradient is not that of the loss. Stops before the first direction at which
/// `is_over` returns true.
SlopeError slope_error(OwnModel& model, const Dataset& shard, ConstView x,
                       const std::function<bool()>& is_over);
/// Number of losses that slope_error() computes.
inline constexpr std::size_t slope_losses = 64 * 4 * 2;
inline constexpr double largest_slope_error = 0.05;

/// Returns the seconds that a loss of the first records takes.
double seconds_of_loss(OwnModel& model, const Dataset& shard, ConstView x);

/// Returns the SHA-256 of the bits of the start for seed 1, and of gradients, losses and the score
/// at x.
std::string digest_of(OwnModel& model, const Dataset& shard, ConstView x);

}  // namespace trilemma
