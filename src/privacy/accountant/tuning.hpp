#pragma once
// Privacy loss of choosing among runs: the best of a random number of runs, or several published
// runs.

#include "privacy/accountant/accountant.hpp"

namespace trilemma::accounting {

/// Law of the number of runs. composition: a fixed number, and all of them may be published.
/// negative_binomial: truncated negative binomial, P[K = k] proportional to (1-gamma)^k
/// prod_{l=0..k-1} (l + eta)/(l + 1), k >= 1 (eta = 1 geometric, eta = 0 logarithmic: (1-gamma)^k /
/// k). poisson: P[K = k] = e^-mu mu^k / k!, k >= 0; without a run nothing is published.
enum class Count { composition, negative_binomial, poisson };

/// The number of runs. Every run has the same noise and draws its settings independently at random
/// from the same candidates. Except for composition, only the best run is published.
struct Runs {
  Count count = Count::negative_binomial;
  double mean = 1;  ///< expected number, at least 1; an integer for composition
  double eta = 1;   ///< shape of the negative binomial, above -1
};

/// Checks the parameters. Throws std::invalid_argument, naming the field, for numbers out of range.
void validate(const Runs& runs);

/// Returns gamma of the truncated negative binomial with this shape and mean, rounded towards 0.
double gamma_of(double eta, double mean);
/// Returns the mean of the truncated negative binomial: (1/gamma - 1) / log(1/gamma) for eta = 0,
/// otherwise eta (1-gamma) / (gamma (1 - gamma^eta)).
double mean_of(double eta, double gamma);

/// Returns epsilon at `delta` of choosing the best of several runs, each of which is `composition`
/// (Papernot and Steinke 2022). With eps(a) the Renyi divergence of a run, that of the choice is at
/// most
///   negative binomial (theorem 2)  eps(a) + (1+eta) min_b [(1-1/b) eps(b) + log(1/gamma)/b]
///                                  + log(E K)/(a-1), b >= 1
///   Poisson (theorem 6)            eps(a) + mu d + log(mu)/(a-1), where a run is
///                                  (log(1 + 1/(a-1)), d)-differentially private.
/// composition: epsilon of all runs in sequence, which needs neither theorem.
Result tuning_epsilon(const Composition& composition, double delta, const Runs& runs,
                      const Options& options = {});

/// Returns the factor on all noises of `composition` at which choosing costs at most `epsilon`.
Result calibrate_tuning(const Composition& composition, double epsilon, double delta,
                        const Runs& runs, const Options& options = {});

}  // namespace trilemma::accounting
