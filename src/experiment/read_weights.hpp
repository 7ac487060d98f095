#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads server.weights: the weight of a client in the server's mean and in the objective. Throws
/// UserError for weights by records if the method or its claim requires equal weights.
void read_weights(const Settings& settings, Plan& plan);

}  // namespace trilemma
