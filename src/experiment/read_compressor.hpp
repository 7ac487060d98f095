#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Chooses the memory: a method's own, or one that the experiment adds to a method without.
void read_memory(const Settings& settings, Plan& plan);

/// Chooses the compressor and the step of the memory, for the dimension of the plan's problem.
/// Refuses with one sentence: a biased compressor without a memory that takes it, one without the
/// bounds that the noise of a trusted server or the step of the memory rests on, and messages whose
/// sizes would tell who takes part where a claim counts on that.
void read_compressor(const Settings& settings, Plan& plan);

/// The compressor of a downlink, which the section `downlink` chooses; refuses methods whose
/// clients do not get all that the server keeps.
void read_down_compressor(const Settings& settings, Plan& plan);

}  // namespace trilemma
