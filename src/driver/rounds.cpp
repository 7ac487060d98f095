#include "driver/rounds.hpp"

namespace trilemma {

void Rounds::run_until(std::uint32_t step, PhaseTimer& timer) {
  for (; step_ < step; ++step_) {
    timer.start();
    round_.run(step_, order(step_, round_.participants(step_)), timer);
  }
}

void Rounds::persist(State& common) {
  common.value(step_);
  common.values(parts_.x);
  parts_.clients->persist_common(common);
  round_.persist(common);
}

void Rounds::persist_server(State& server) { parts_.server->persist(server); }

void Rounds::persist(std::size_t slot, State& client) { parts_.clients->persist(slot, client); }

}  // namespace trilemma
