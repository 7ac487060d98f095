#pragma once
// Handling of SIGUSR1, SIGTERM and SIGINT, which ask a run to stop at the end of a round.

namespace trilemma {

/// Makes these signals set a flag from now on; a second SIGINT ends the program as usual.
void listen_for_stop_requests();
/// Returns whether this rank has received one of these signals.
bool stop_requested();

}  // namespace trilemma
