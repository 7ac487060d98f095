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
/// guarantee, but the bounds on both sides lie more than 1 % apart, for lack of digits or of grid
/// points. no_meaningful_privacy: a guarantee, but above 50.
enum class Status { ok, unbounded, precision, not_converged, no_meaningful_privacy };

const char* name(Status status);

/// An epsilon above this promises nothing that matters.
constexpr double meaningless_above = 50;

/// An accounted number. `value` is the safe end: never smaller than the truth for an epsilon, a
/// delta or a sigma; never larger for a number of steps or a rate.
struct Result {
  double value = 0;
  double lower = 0;       ///< the truth lies in [lower, upper]
  double upper = 0;       ///<
  bool certified = true;  ///< both bounds follow from theorems, up to the stated rounding allowance
  std::string method;     ///< "gaussian", "one-step", "pld", "rdp", "saddle_point", "never_drawn"
  double order = 0;       ///< best Renyi order; 0 where none is used
  Status status = Status::ok;
  std::vector<std::string> warnings;
  double grid_step = 0;     ///< of the loss grid; 0 without one
  double grid_points = 0;   ///< transform length
  double error_budget = 0;  ///< delta set aside for truncation and rounding
  int evaluations = 1;      ///< of the accountant, in a calibration
};

/// Returns the relative distance of the bounds, (upper - lower) / upper; 0 if both are 0 or
/// infinite.
double width(const Result& result);

/// Relative distance above which bounds are reported as not converged.
constexpr double loose_above = 0.01;

}  // namespace trilemma::accounting
