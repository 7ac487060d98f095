#pragma once
// What is accounted: a sequence of Gaussian releases, each on a sample of the units.

#include <string>
#include <vector>

namespace trilemma::accounting {

/// When two data sets are neighbours. add_remove: one unit present or absent. zero_out: one unit's
/// contribution replaced by zero (the same distributions). replace_one: one unit replaced by
/// another, at distance up to 2C for contributions of norm up to C.
enum class Relation { add_remove, zero_out, replace_one };

/// How the units of a step are drawn. none: all of them. poisson: each with probability `rate`.
/// fixed_wor: a fixed number without replacement, a share `rate` of all. revealed: each with
/// probability `rate`, independently of earlier rounds, and the adversary knows who was drawn.
enum class Sampling { none, poisson, fixed_wor, revealed };

/// `steps` releases of a sum of contributions of norm at most C plus Gaussian noise.
struct Component {
  Sampling sampling = Sampling::none;
  double rate = 1;   ///< q
  double sigma = 1;  ///< z: standard deviation of the noise on the sum, divided by C
  double steps = 1;  ///< T, a whole number
};

/// Releases one after the other, accounted together.
struct Composition {
  Relation relation = Relation::add_remove;
  std::vector<Component> components;
};

/// The names that files and command lines use: "add_remove", "poisson", ...
const char* name(Relation relation);
const char* name(Sampling sampling);

/// Refuses numbers out of range (std::invalid_argument that names the field) and combinations of
/// sampling and relation without a theorem (UnsupportedClaim).
void validate(const Composition& composition);
/// The same for 0 <= delta < 1 and for epsilon >= 0.
void validate_delta(double delta);
void validate_epsilon(double epsilon);

/// The same releases without those that cost nothing (rate 0 or no steps).
Composition without_idle(const Composition& composition);

/// One sentence: what is claimed, of what, for whom.
std::string sentence(const Composition& composition);

/// What makes neighbours ("one unit is added or removed"), and what is released ("1000 releases
/// with noise of ..."): parts of that sentence.
std::string in_words(Relation relation);
std::string in_words(const Composition& composition);

/// A number as short as it can be written without loss.
std::string shown(double value);

}  // namespace trilemma::accounting
