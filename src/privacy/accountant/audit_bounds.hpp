#pragma once
// Lower bounds on epsilon from the errors of an attack, which hold with a stated confidence for any
// mechanism.

namespace trilemma::accounting {

/// Returns the upper one-sided confidence limit of a success probability after `successes` in
/// `trials` independent trials (Clopper and Pearson 1934): BetaInv(confidence; k + 1, n - k), and 1
/// if k = n.
double clopper_pearson_upper(double successes, double trials, double confidence);

/// Upper confidence limits of the two error rates of a distinguishing attack.
struct ErrorLimits {
  double false_positive = 1;  ///< decides "present" although the unit is absent
  double false_negative = 1;  ///< decides "absent" although the unit is present
};

/// Returns limits that hold jointly with probability `confidence`: each error at level (1 -
/// confidence)/2.
ErrorLimits error_limits(double false_positives, double absent_runs, double false_negatives,
                         double present_runs, double confidence);

/// Returns a lower bound on epsilon at delta that needs no assumption (Kairouz, Oh, Viswanath 2015;
/// Jagielski, Ullman, Oprea 2020): max{0, log((1-delta-fn)/fp), log((1-delta-fp)/fn)}.
double epsilon_lower_bound(const ErrorLimits& limits, double delta);

/// Returns a lower bound on mu of a mechanism that is mu-GDP (Nasr et al. 2023): PhiInv(1-fp) -
/// PhiInv(fn), at least 0. The assumption holds for a Gaussian mechanism without sampling.
double mu_lower_bound(const ErrorLimits& limits);

/// Returns epsilon(delta) of a mu-GDP mechanism (Balle and Wang 2018), rounded down; 0 for mu <= 0.
/// Requires 0 < delta < 1.
double gaussian_epsilon(double mu, double delta);

/// Audit in one run (Steinke, Nasr, Jagielski 2023): each of `canaries` units was included by an
/// independent fair coin, and `correct` of `guesses` guesses were right.
struct OneRun {
  double canaries = 0;
  double guesses = 0;
  double correct = 0;
};

/// Returns half the width of the interval that contains the mean of a normal law with probability
/// `confidence`, for `count` >= 2 values with the variance `variance` (Student 1908).
double mean_half_width(double variance, double count, double confidence);

/// Returns an upper bound on the probability that at least run.correct guesses are right under any
/// (epsilon, delta)-DP mechanism: with W ~ Binomial(r, e^epsilon/(1+e^epsilon)), P[W >= v] + 2 m
/// delta max_{1<=i<=v} P[v-i <= W < v]/i, at most 1. Computed in logarithms.
double one_run_p_value(const OneRun& run, double epsilon, double delta);

/// Returns the lower bound on epsilon at delta: the epsilon at which the p-value reaches 1 -
/// confidence; 0 if the p-value already exceeds that at epsilon = 0.
double one_run_epsilon(const OneRun& run, double delta, double confidence);

}  // namespace trilemma::accounting
