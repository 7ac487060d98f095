#pragma once
// The joint mechanism of an experiment: what its settings allow, and its scale and noise.

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the section `joint` of a plan whose method and bound have been chosen. Throws UserError if
/// whole clients are not bounded.
void read_joint(const Settings& experiment, Plan& plan);

/// Throws UserError for what no theorem on joint mechanisms covers. Must be called once `privacy`
/// has been read.
void check_joint(const Settings& experiment, const Plan& plan);

/// Returns scale and noise of the plan's joint mechanism: its multiplier is that of a Gaussian
/// release in every round with the epsilon and delta of the experiment. Throws UserError where no
/// scale fits into the words.
accounting::DistributedNoise joint_noise(const Plan& plan);

/// Returns the sensitivity of the sum, divided by the square root of the number of clients, for
/// which a Gaussian release with the noise of a client in real units is as private as the words:
/// sigma mu1 B sqrt(n).
double joint_sensitivity(const Plan& plan);

}  // namespace trilemma
