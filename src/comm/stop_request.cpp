#include "comm/stop_request.hpp"

#include <csignal>
#include <initializer_list>

namespace trilemma {
namespace {

// Global, since a signal handler can access nothing else.
volatile std::sig_atomic_t noted = 0;

void note(int signal) {
  noted = 1;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void listen_for_stop_requests() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // system calls that wait for the disk or the network must not fail
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
}

bool stop_requested() { return noted != 0; }

}  // namespace trilemma
