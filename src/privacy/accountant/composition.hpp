#pragma once
// Input of the accountants: a sequence of Gaussian releases, each on a sample of the units.

#include <string>
#include <vector>

namespace trilemma::accounting {

/// Neighbouring relation. add_remove: one unit is present or absent. zero_out: the contribution of
/// one unit is replaced by zero (which gives the same distributions). replace_one: one unit is
/// replaced by another, at distance up to 2C for contributions of norm up to C.
enum class Relation { add_remove, zero_out, replace_one };

/// How the units of a step are drawn. none: all units. poisson: each with probability `rate`.
/// fixed_wor: a fixed number without replacement, a share `rate` of all. revealed: each with
/// probability `rate`, independently of earlier rounds, and the adversary knows which units were
/// drawn.
enum class Sampling { none, poisson, fixed_wor, revealed };

/// `steps` releases of a sum of contributions of norm at most C, plus Gaussian noise.
struct Component {
  Sampling sampling = Sampling::none;
  double rate = 1;   ///< q
  double sigma = 1;  ///< z: standard deviation of the noise on the sum, divided by C
  double steps = 1;  ///< T, an integer
  /// kappa >= 1 of masked random signs, whose releases are single coordinates (SignsRenyi); 1 =
  /// nothing is known about the norm of a unit's contributions to all steps together.
  double range = 1;
  /// Rounds in which steps with a range are made, equally many in each.
  double rounds = 1;
};

/// A sequence of releases that are accounted together.
struct Composition {
  Relation relation = Relation::add_remove;
  std::vector<Component> components;
};

/// Returns the name in files and on command lines: "add_remove", "poisson", ...
const char* name(Relation relation);
const char* name(Sampling sampling);

/// Checks a composition. Throws std::invalid_argument, naming the field, for numbers out of range,
/// and UnsupportedClaim for combinations of sampling and relation without a theorem.
void validate(const Composition& composition);
/// Check 0 <= delta < 1, and epsilon >= 0, in the same way.
void validate_delta(double delta);
void validate_epsilon(double epsilon);

/// Returns the releases without those that cost nothing (rate 0 or no steps).
Composition without_idle(const Composition& composition);

/// Returns whether a bound on the norm limits how many releases can be of full size.
bool has_range(const Composition& composition);

/// Returns one sentence that states the releases and the neighbouring relation.
std::string sentence(const Composition& composition);

/// Return parts of that sentence: what makes neighbours ("one unit is added or removed"), and what
/// is released ("1000 releases with noise of ...").
std::string in_words(Relation relation);
std::string in_words(const Composition& composition);

/// Returns the shortest text that represents `value` exactly.
std::string shown(double value);

}  // namespace trilemma::accounting
