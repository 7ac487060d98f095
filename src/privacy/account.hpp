#pragma once
// Accounting of a run: the noise that a target epsilon requires, and the epsilon of a given noise.

#include <functional>

#include "privacy/accountant/accountant.hpp"
#include "privacy/accountant/epsilon_curve.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// A kind of vectors that a client sends, each perturbed with independent noise.
struct Release {
  accounting::Sampling sampling = accounting::Sampling::none;  ///< of the minibatch part
  double rate = 1;          ///< of the part that enters through the minibatch
  Sensitivity sensitivity;  ///< of the vector, when one unit is added or removed
  double noise = 1;         ///< standard deviation per coordinate, divided by the run's sigma
  double times = 0;         ///< number of such vectors
  /// Number of independent releases of one coordinate that make up a vector, for which sensitivity
  /// and rate are stated; 1 = the vector is released as a whole.
  double coordinates = 1;
  double range = 1;  ///< accounting::Component::range of these

  /// Returns whether a unit enters both through the minibatch and through a full mean.
  bool is_split() const { return sensitivity.sampled > 0 && sensitivity.full > 0; }
  bool operator==(const Release&) const = default;
};

/// A range of numbers of rounds, one of which is drawn independently of the data, and their
/// probability.
struct Stop {
  double least = 0, most = 0;
  double probability = 0;
  bool operator==(const Stop&) const = default;
};

/// Basis of the accounting of a run: everything that a client releases, in any order.
struct Releases {
  accounting::Relation relation = accounting::Relation::add_remove;
  std::vector<Release> list;
  /// The number of rounds behind the only model that is released; empty = all rounds are released.
  /// If not empty, all rounds are equal.
  std::vector<Stop> stops = {};

  /// Returns the release of every round. Throws LibraryError if rounds differ.
  const Release& of_every_round() const;
  bool operator==(const Releases&) const = default;
};

/// Returns the releases at noise `sigma` as a composition. If a unit enters both through the
/// minibatch and through a full mean, the noise variance is split in shares `split` and 1 - split,
/// each covering one part; any split gives a valid analysis.
accounting::Composition compose(const Releases& releases, double sigma, double split);

/// Returns the split that minimises the Renyi bound; 0.5 if no release is split.
double best_split(const Releases& releases, double sigma, double delta);

/// Returns the smallest sigma with epsilon(delta) <= `epsilon`, rounded up to 10 digits so that
/// processors with different rounding agree.
double calibrated_sigma(const Releases& releases, double epsilon, double delta);

/// Returns the ratio between e^-3 and e^3 that minimises `noise`(sigma, ratio), where sigma is what
/// `releases`(ratio) require for (`epsilon`, `delta`) by the Renyi accountant. Rounded to three
/// digits so that processors with different rounding agree. `noise` must decrease and then
/// increase.
double best_noise_ratio(const std::function<Releases(double ratio)>& releases,
                        const std::function<double(double sigma, double ratio)>& noise,
                        double epsilon, double delta);

/// Returns the accounting effort of a run, whose start must not take long. `tolerance` is the
/// relative width of the bounds to be reached.
accounting::Options run_options(double tolerance);

/// Returns an upper bound on delta(epsilon) of the model after a random number of rounds together
/// with that number, sum_k P(R = k) delta_k(epsilon): R has the same law for neighbours, so their
/// hockey-stick divergence is the mean of the divergences given R. Every range of stops counts with
/// its largest number of rounds, or with its least for a lower bound (`is_lower`). Ranges whose
/// part is at most 1e-4 `delta` by the Renyi accountant are not examined further, and none is for
/// `epsilon` > 100, where a lower bound is 0.
double mean_delta(const Releases& releases, double sigma, double epsilon, double delta,
                  bool is_lower = false);

/// Accounted privacy loss of a run with noise `sigma`.
struct Account {
  double split = 0.5;
  double tolerance = 0;  ///< requested relative width of the bounds
  accounting::Composition composition;
  accounting::Result epsilon;     ///< epsilon of all rounds
  accounting::Result crosscheck;  ///< epsilon by the Renyi accountant
};
/// Returns the account of `releases` at noise `sigma`.
Account account(const Releases& releases, double sigma, double delta);

/// Returns upper bounds on epsilon after any number of rounds up to the last, if all rounds are
/// equal.
accounting::EpsilonCurve epsilon_curve(const Releases& releases, double sigma, double delta,
                                       const Account& account);

/// Returns the number of each release of a list within the first `rounds` rounds.
using TimesAfter = std::function<std::vector<double>(double rounds)>;
/// Returns upper bounds on epsilon after any number of rounds up to `rounds`, if rounds differ or
/// one model is released at the end: for the latter, that of the whole run.
accounting::EpsilonCurve epsilon_curve(const Releases& releases, double sigma, double delta,
                                       const Account& account, double rounds,
                                       const TimesAfter& times_after);

}  // namespace trilemma
