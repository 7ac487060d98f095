#include "driver/synchronous.hpp"

namespace trilemma {

void Synchronous::run_until(std::uint32_t step, PhaseTimer& timer) {
  for (; step_ < step; ++step_) {
    timer.start();
    round_.run(step_, order(step_, round_.participants(step_)), timer);
  }
}

void Synchronous::persist(State& common) {
  common.value(step_);
  common.values(parts_.x);
  parts_.clients->persist_common(common);
  round_.persist(common);
}

void Synchronous::persist_server(State& server) { parts_.server->persist(server); }

void Synchronous::persist(std::size_t slot, State& client) {
  parts_.clients->persist(slot, client);
}

Row<DriverMaker> synchronous_driver() {
  return {"synchronous", "rounds, in which the server waits for all participants",
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Synchronous>(setup);
          }};
}

}  // namespace trilemma
