#pragma once
// The Poisson-binomial mechanism (Chen, Ozgur and Kairouz, 2207.09916): each of n clients sends
// Z_j ~ Binomial(m, 1/2 + theta y_j / c) for each coordinate |y_j| <= c, and the adversary sees the
// sum over the clients.

#include "privacy/accountant/pld.hpp"

namespace trilemma::accounting {

/// One release of a sum.
struct PoissonBinomial {
  double clients = 1;                         ///< n, whose messages are in the sum
  double trials = 1;                          ///< m
  double theta = 0.25;                        ///< between 0 and 1/2
  double dimension = 1;                       ///< d
  Relation relation = Relation::replace_one;  ///< or zero_out
};

/// Largest n m, of which the cost is a multiple of the square.
inline constexpr double most_trials = 1U << 14U;

/// Effort that keeps the start of a run short.
inline constexpr Effort effort_of_trials{2e-4, 1U << 18U};

/// Returns the discrete loss that dominates the sum of one coordinate. A Bernoulli(p) variable is a
/// mixture of those with p_- = 1/2 - theta and p_+ = 1/2 + theta. So the worst other clients have K
/// of their (n-1) m trials at p_+ and the others at p_-, by joint convexity, and the worst values
/// of client 1 are its ends, by monotone likelihood ratios: Binomial(m, p_+) against Binomial(m,
/// p_-) under replace_one and against Binomial(m, 1/2) under zero_out. The loss has the delta curve
/// that interpolates max_K delta_K on a grid of losses. Under replace_one K and (n-1) m - K give
/// swapped pairs, so that the result covers both orders. `swapped` exchanges the pair under
/// zero_out. Throws std::invalid_argument for numbers out of range, n m above most_trials and
/// add_remove: without a client there are fewer trials, and less noise.
LossAtoms coordinate_loss(const PoissonBinomial& release, bool swapped = false);

/// Returns epsilon of `steps` adaptive releases of all coordinates. The lower bound is the larger
/// one of K = 0 and K = (n-1) m in all coordinates, while a different K may be the worst at each
/// loss; so the bounds stay about 1 % apart.
Result poisson_binomial_epsilon(const PoissonBinomial& release, double steps, double delta,
                                const Effort& effort = effort_of_trials);

/// Returns `release` with the largest theta, up to a relative error of 1e-4, for which `steps`
/// releases satisfy (epsilon, delta)-DP. Throws std::invalid_argument as coordinate_loss() does.
PoissonBinomial calibrate_theta(const PoissonBinomial& release, double steps, double epsilon,
                                double delta);

}  // namespace trilemma::accounting
