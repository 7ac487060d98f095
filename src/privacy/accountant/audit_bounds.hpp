#pragma once
// What the errors of an attack prove about a mechanism: lower bounds on epsilon that hold with a
// stated confidence, whatever the mechanism is.

namespace trilemma::accounting {

/// Upper one-sided limit of a success probability after `successes` in `trials` independent trials
/// (Clopper and Pearson 1934): BetaInv(confidence; k + 1, n - k), and 1 where k = n.
double clopper_pearson_upper(double successes, double trials, double confidence);

/// Upper limits of the two error rates of a distinguishing attack.
struct ErrorLimits {
  double false_positive = 1;  ///< says "present" where the unit is absent
  double false_negative = 1;  ///< says "absent" where the unit is present
};

/// Limits that hold together with probability `confidence`: each error at level
/// (1 - confidence)/2.
ErrorLimits error_limits(double false_positives, double absent_runs, double false_negatives,
                         double present_runs, double confidence);

/// Lower bound on epsilon at delta without any assumption (Kairouz, Oh, Viswanath 2015; Jagielski,
/// Ullman, Oprea 2020): max{0, log((1-delta-fn)/fp), log((1-delta-fp)/fn)}.
double epsilon_lower_bound(const ErrorLimits& limits, double delta);

/// Lower bound on mu of a mechanism that is mu-GDP (Nasr et al. 2023): PhiInv(1-fp) - PhiInv(fn),
/// at least 0. Needs that assumption: a Gaussian mechanism without sampling satisfies it.
double mu_lower_bound(const ErrorLimits& limits);

/// epsilon(delta) of a mu-GDP mechanism (Balle and Wang 2018), rounded down; 0 for mu <= 0.
/// 0 < delta < 1.
double gaussian_epsilon(double mu, double delta);

/// Audit in one run (Steinke, Nasr, Jagielski 2023): each of `canaries` units was included by its
/// own fair coin, and `correct` of `guesses` guesses were right.
struct OneRun {
  double canaries = 0;
  double guesses = 0;
  double correct = 0;
};

/// Probability of so many right guesses or more under any (epsilon, delta)-DP mechanism, at most:
/// W ~ Binomial(r, e^epsilon/(1+e^epsilon)),
/// P[W >= v] + 2 m delta max_{1<=i<=v} P[v-i <= W < v]/i, at most 1. In logarithms throughout.
double one_run_p_value(const OneRun& run, double epsilon, double delta);

/// Lower bound on epsilon at delta: where the p-value reaches 1 - confidence; 0 where it is above
/// already at epsilon = 0.
double one_run_epsilon(const OneRun& run, double delta, double confidence);

}  // namespace trilemma::accounting
