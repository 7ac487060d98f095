#pragma once
// SIGUSR1, SIGTERM and SIGINT ask a run to stop at the end of a round.

namespace trilemma {

/// From now on these signals only leave a note; a second SIGINT ends the program as usual.
void listen_for_stop_requests();
/// True once one of them has come to this rank.
bool stop_requested();

}  // namespace trilemma
