#pragma once
// Attacks on the signal of one unit, wherever in an experiment it comes from.

#include <functional>
#include <string>
#include <vector>

#include "tests/claim_oracle/profile.hpp"

namespace trilemma::claims {

/// One attack; what it reaches is a lower bound on the true delta at every epsilon.
struct Attack {
  std::string name;
  std::function<double(double epsilon)> delta;
  /// No attack is known but no theorem promises more either: a claim below it rests on nothing.
  bool by_rule = false;
};
using Attacks = std::vector<Attack>;

/// What one unit adds to a round's release, in standard deviations of the noise on it, and the
/// draws that it depends on.
struct Signal {
  double step = 0;          ///< of a unit against none
  bool replaced = false;    ///< against its opposite instead
  double hidden = 1;        ///< probability to enter by a draw that the view does not see
  bool exact_size = false;  ///< that draw has a fixed size: who stays away is replaced by another
  double known = 1;         ///< probability to enter by a draw that the view sees
  bool single = true;       ///< it is in one coordinate, and the noise there is one number
  double distance() const { return replaced ? 2 * step : step; }
};

/// The adversary weighs all rounds: the worst pairs of neighbours for the signal.
void weigh_rounds(Attacks& all, const std::string& name, const Signal& signal, long rounds,
                  bool by_rule = false);
/// The same for a pair that is given.
void weigh_rounds(Attacks& all, const std::string& name, const DominatingPair& pair, long rounds,
                  double known);

/// A coordinate so far out that it is impossible for the neighbour, because standard normal numbers
/// are never longer than `cut`. Nothing for a signal that is not `single`.
void exceed_cut(Attacks& all, const Signal& signal, double cut, long rounds);

/// Probability that such a number exceeds x: Box and Muller's with its radius at most `cut`.
double cut_tail(double x, double cut);

/// What a known random mask of share 1/gain leaves of a signal that points along one coordinate,
/// and of one that points along all alike. `after` the noise is added to what was multiplied by
/// the gain, else before that.
std::vector<Signal> masked(const Signal& signal, double gain, bool after);

/// A contribution of `step` times the number of times the unit is drawn, in `batch` independent
/// draws from `records`, against none or (replaced) against its opposite.
DominatingPair repeated_pair(long batch, long records, double step, bool replaced);

/// A minibatch's part `sampled` with probability `rate` and, opposed to it, the part `full` of all
/// records in any case, against none or against the opposite of both.
DominatingPair opposed_pair(double rate, double sampled, double full, bool replaced);

}  // namespace trilemma::claims
