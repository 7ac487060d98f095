#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the section `privacy` for a plan whose method, bound, sampler and schedule are made, and
/// refuses what cannot be.
PrivacyPlan read_privacy(const Settings& experiment, const Plan& plan);

}  // namespace trilemma
