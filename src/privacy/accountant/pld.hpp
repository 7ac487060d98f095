#pragma once

#include "privacy/accountant/loss_distribution.hpp"
#include "privacy/accountant/result.hpp"

namespace trilemma::accounting {

/// Effort of the accountant.
struct Effort {
  double tolerance = 3e-4;              ///< relative width of the bracket to be reached
  std::size_t most_points = 1U << 22U;  ///< longest transform; at most 2^26
};

/// If the Renyi bound exceeds this value, epsilon is far beyond any use, and a tight bound is not
/// worth its grid.
constexpr double hopeless_above = 5000;

/// Returns epsilon of a composition of Gaussian releases of all units, of Poisson samples or of
/// samples of a fixed size, from its privacy loss distribution by FFT: certified bounds on both
/// sides, with the upper one in `value`. The grid is refined until the bounds are within the
/// tolerance or more points no longer help. Requires 0 < delta < 1.
Result pld_epsilon(const Composition& composition, double delta, const Effort& effort = {});

/// Returns delta at `epsilon` in the same way.
Result pld_delta(const Composition& composition, double epsilon, const Effort& effort = {});

/// Return epsilon and delta in the same way for the pairs in `steps` (their log_mgf is not read),
/// in the one direction that these have.
Result pld_epsilon(const std::vector<Repeated>& steps, double delta, const Effort& effort = {});
Result pld_delta(const std::vector<Repeated>& steps, double epsilon, const Effort& effort = {});

}  // namespace trilemma::accounting
