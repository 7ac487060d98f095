#pragma once

#include <functional>

#include "privacy/accountant/accountant.hpp"

namespace trilemma::accounting {

/// The smallest factor on all noises of `composition` at which epsilon(delta) is known to be at
/// most `target`; the safe end of the last bracket. `lower` is the largest factor that is known to
/// be too small. Refuses where no factor between 1e-9 and 1e9 does.
Result calibrate_noise(const Composition& composition, double target, double delta,
                       const Options& options = {});

/// The same by an `account` of another kind, beginning where the cheaper account `quick` ends.
Result calibrate_noise(const Composition& composition, double target, double delta,
                       const std::function<Result(const Composition&)>& quick,
                       const std::function<Result(const Composition&)>& account);

/// The largest number of repetitions of `composition` (one round) that keeps epsilon(delta) at or
/// below `target`, at most 1e9; 0 if a single one is too much.
Result calibrate_rounds(const Composition& composition, double target, double delta,
                        const Options& options = {});

/// The largest sampling rate, the same for all sampled components, that keeps epsilon(delta) at or
/// below `target`; 0 if none does.
Result calibrate_rate(const Composition& composition, double target, double delta,
                      const Options& options = {});

}  // namespace trilemma::accounting
