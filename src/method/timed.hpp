#pragma once
// What the methods on the simulated clock have in common ([FAV] sections 2 and 5).

#include "method/server_step.hpp"

namespace trilemma {

/// The slots of such a method, with up to local.steps local steps of the solver.
Method timed_method(Settings& experiment, const StepDefaults& defaults);

/// Reads server.preset: true where the published simulators are followed where they differ from the
/// text ([FAV] appendix: the code of FedBuff's and QuAFL's authors).
bool follows_code(Settings& experiment);

/// x -= rate * direction, with server.rate.
Choice<ServerStep> make_timed_step(Settings& experiment, double rate, const char* help);

/// Server and s contacted clients average their models: x = (x + sum_i m_i) / (s + 1). The
/// direction is x - mean m_i.
Choice<ServerStep> make_mean_with_server();

}  // namespace trilemma
