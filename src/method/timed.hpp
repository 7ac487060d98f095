#pragma once
// Shared by the methods on the simulated clock ([FAV] sections 2 and 5).

#include "method/server_step.hpp"

namespace trilemma {

/// Returns the slots of such a method, with up to local.steps local steps of the solver.
Method timed_method(Settings& experiment, const StepDefaults& defaults);

/// Reads server.preset. Returns whether to follow the published simulators where they differ from
/// the papers ([FAV] appendix: the code of FedBuff's and QuAFL's authors).
bool follows_code(Settings& experiment);

/// Returns the step x -= rate * direction, with server.rate.
Choice<ServerStep> make_timed_step(Settings& experiment, double rate, const char* help);

/// Returns the step in which the server averages its model with those of s contacted clients: x =
/// (x + sum_i m_i) / (s + 1). The direction is x - mean m_i.
Choice<ServerStep> make_mean_with_server();

}  // namespace trilemma
