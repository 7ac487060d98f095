#pragma once

#include <functional>

#include "privacy/accountant/accountant.hpp"

namespace trilemma::accounting {

/// Returns the smallest factor on all noises of `composition` at which epsilon(delta) is known to
/// be at most `target`, the safe end of the last bracket. `lower` is the largest factor known to be
/// too small. Throws if no factor between 1e-9 and 1e9 suffices.
Result calibrate_noise(const Composition& composition, double target, double delta,
                       const Options& options = {});

/// Returns the same factor for another kind of `account`; the search starts from the result of the
/// cheaper account `quick`.
Result calibrate_noise(const Composition& composition, double target, double delta,
                       const std::function<Result(const Composition&)>& quick,
                       const std::function<Result(const Composition&)>& account);

/// Returns the largest number of repetitions of `composition` (one round) with epsilon(delta) at
/// most `target`, up to 1e9; 0 if a single repetition exceeds it.
Result calibrate_rounds(const Composition& composition, double target, double delta,
                        const Options& options = {});

/// Returns the largest sampling rate, common to all sampled components, with epsilon(delta) at most
/// `target`; 0 if there is none.
Result calibrate_rate(const Composition& composition, double target, double delta,
                      const Options& options = {});

}  // namespace trilemma::accounting
