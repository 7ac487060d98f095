#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the section `privacy` of a plan whose method, bound, sampler and schedule have been
/// chosen. Throws UserError for combinations that no mechanism provides.
PrivacyPlan read_privacy(const Settings& experiment, const Plan& plan);

}  // namespace trilemma
