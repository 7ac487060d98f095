#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the section `memory` and chooses the memory: the method's own, or one that the experiment
/// adds to a method without one.
void read_memory(const Settings& settings, Plan& plan);

/// Reads the section `compressor` and chooses the compressor and the step of the memory for the
/// dimension of the plan's problem. Throws UserError for: a biased compressor without a suitable
/// memory; a compressor without the bounds that a trusted server's noise or the step of the memory
/// relies on; messages whose sizes would reveal the participants where the claim assumes that
/// participation is secret.
void read_compressor(const Settings& settings, Plan& plan);

/// Reads the section `downlink` and chooses the compressor of the downlink. Throws UserError for
/// methods whose clients do not receive the complete state of the server.
void read_down_compressor(const Settings& settings, Plan& plan);

}  // namespace trilemma
