#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads server.weights: what a client counts in the server's mean and in the objective. Refuses
/// weights by records where the method, or what is claimed of it, counts on clients that count
/// alike.
void read_weights(const Settings& settings, Plan& plan);

}  // namespace trilemma
