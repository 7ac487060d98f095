#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the section `privacy` of a plan whose method, bound, sampler and schedule have been
/// chosen. Throws UserError for combinations that no mechanism provides.
PrivacyPlan read_privacy(const Settings& experiment, const Plan& plan);

/// Refuses noise and an epsilon for a method without noise that has a private form: a sigma above
/// 0, and an epsilon that a sigma of 0 does not override, if they come from the command line or a
/// sweep, or from a file that chooses the method itself.
void refuse_noise(const Settings& experiment, const Plan& plan);

}  // namespace trilemma
