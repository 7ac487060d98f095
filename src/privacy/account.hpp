#pragma once
// From what a client releases in a round to what it costs: the noise that a target needs, and the
// epsilon that a noise spends.

#include "privacy/accountant/accountant.hpp"
#include "privacy/accountant/epsilon_curve.hpp"
#include "privacy/bound.hpp"

namespace trilemma {

/// Vectors of one kind that a client sends, each perturbed with noise of its own.
struct Release {
  accounting::Sampling sampling = accounting::Sampling::none;  ///< of the sampled part
  double rate = 1;                                             ///< of the sampled part
  Sensitivity sensitivity;  ///< of the vector, for one unit added or removed
  double noise = 1;         ///< standard deviation per coordinate, over the run's sigma
  double times = 0;         ///< how many of them

  /// A unit enters both through the minibatch and through a full mean.
  bool is_split() const { return sensitivity.sampled > 0 && sensitivity.full > 0; }
  bool operator==(const Release&) const = default;
};

/// Everything an analysis of a run rests on: what a client releases, whatever the order.
struct Releases {
  accounting::Relation relation = accounting::Relation::add_remove;
  std::vector<Release> list;

  /// What every round releases. Throws LibraryError where rounds differ.
  const Release& of_every_round() const;
  bool operator==(const Releases&) const = default;
};

/// The releases at noise `sigma` as a composition. Where a unit enters both through the minibatch
/// and through a full mean, the noise variance is split in shares `split` and 1 - split, each
/// covering one part; any split is a valid analysis.
accounting::Composition compose(const Releases& releases, double sigma, double split);

/// The split that makes the Renyi bound smallest; 0.5 where there is nothing to split.
double best_split(const Releases& releases, double sigma, double delta);

/// Smallest sigma at which epsilon(delta) <= `epsilon`, rounded up to 10 digits so that processors
/// that round differently agree.
double calibrated_sigma(const Releases& releases, double epsilon, double delta);

/// How hard runs are accounted: their start must not take long. `tolerance` is the relative width
/// of the bounds to be reached.
accounting::Options run_options(double tolerance);

/// What a run with noise `sigma` spends.
struct Account {
  double split = 0.5;
  double tolerance = 0;  ///< relative width of the bounds that was asked for
  accounting::Composition composition;
  accounting::Result epsilon;     ///< of all rounds
  accounting::Result crosscheck;  ///< by the Renyi accountant
};
Account account(const Releases& releases, double sigma, double delta);

/// Upper bounds on epsilon after any number of rounds up to the last, where all are alike.
accounting::EpsilonCurve epsilon_curve(const Releases& releases, double sigma, double delta,
                                       const Account& account);

}  // namespace trilemma
