#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace trilemma::accounting {

/// A claim that no theorem supports, such as fixed-size sampling under add_remove.
class UnsupportedClaim : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// ok: the value is a guarantee. unbounded: no finite epsilon holds. precision, not_converged: a
/// guarantee, but the bounds on both sides are more than 1 % apart, for lack of digits or of grid
/// points; in a calibration, more than the tolerance. no_meaningful_privacy: a guarantee, but
/// above 50.
enum class Status { ok, unbounded, precision, not_converged, no_meaningful_privacy };

/// Returns the name of a status in outputs.
const char* name(Status status);

/// An epsilon above this value gives no meaningful protection.
constexpr double meaningless_above = 50;

/// An accounted number. `value` is the safe end: never smaller than the true value for an epsilon,
/// a delta or a sigma; never larger for a number of steps or a rate.
struct Result {
  double value = 0;
  double lower = 0;  ///< the true value lies in [lower, upper]
  double upper = 0;
  bool certified = true;  ///< both bounds follow from theorems, up to the stated rounding allowance
  std::string method;     ///< "gaussian", "one-step", "pld", "rdp", "saddle_point", "never_drawn"
  double order = 0;       ///< best Renyi order; 0 if none is used
  Status status = Status::ok;
  std::vector<std::string> warnings;
  double grid_step = 0;     ///< step of the loss grid; 0 without a grid
  double grid_points = 0;   ///< length of the transform
  double error_budget = 0;  ///< share of delta reserved for truncation and rounding
  int evaluations = 1;      ///< number of evaluations of the accountant, in a calibration
};

/// Returns the relative distance of the bounds, (upper - lower) / upper; 0 if both are 0 or
/// infinite.
double width(const Result& result);

/// Relative distance above which bounds are reported as not converged.
constexpr double loose_above = 0.01;

}  // namespace trilemma::accounting
