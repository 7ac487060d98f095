#pragma once
// The joint mechanism of an experiment: what its settings allow, and its scale and noise.

#include "experiment/plan.hpp"
#include "privacy/accountant/poisson_binomial.hpp"

namespace trilemma {

/// Reads the section `joint` of a plan whose method and bound have been chosen. Throws UserError if
/// whole clients are not bounded, or a memory belongs to the method.
void read_joint(const Settings& experiment, Plan& plan);

/// Reads the section `secagg` of a plan whose joint mechanism has been chosen. Throws UserError if
/// too few clients would be left.
void read_secure_sum(const Settings& experiment, Plan& plan);

/// Throws UserError for what no theorem on joint mechanisms covers. Must be called once `privacy`
/// has been read.
void check_joint(const Settings& experiment, const Plan& plan);

/// Returns scale and noise of the plan's joint mechanism: its multiplier is that of a Gaussian
/// release in every round with the epsilon and delta of the experiment. Throws UserError where no
/// scale fits into the words.
accounting::DistributedNoise joint_noise(const Plan& plan);

/// Returns the release of a round of the plan's random trials: its theta is the largest with the
/// epsilon and delta of the experiment. Throws UserError where no theta is found.
accounting::PoissonBinomial joint_trials(const Plan& plan);

/// Returns the bits of a word in a message of the plan: those of the sum where it is hidden.
unsigned word_bits(const Plan& plan);

/// Returns how the server of the plan reads the sum of words.
WordSum words_of(const Plan& plan);
/// Returns the messages of a plan whose joint mechanism is local: those of all rounds satisfy
/// epsilon and delta of the experiment, or delta = 0 where none is set.
LocalMessages joint_messages(const Plan& plan);

/// Returns the maker of what encodes the vectors of the plan's joint mechanism.
CompressorMaker joint_compressor(const Plan& plan);

/// Returns the clients of the plan's secure aggregation: the shares of those that may work with the
/// server or drop out, rounded down.
accounting::MaskTask mask_task(const Plan& plan);

/// Returns the sensitivity D of a client's vector for which the claim on sums of n clients, each
/// with Gaussian noise sigma, has the privacy of the words: D / (sqrt(n) sigma) = mu1 B.
double joint_sensitivity(const Plan& plan);

}  // namespace trilemma
