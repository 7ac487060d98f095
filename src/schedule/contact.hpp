#pragma once

#include <cstdint>
#include <vector>

namespace trilemma {

/// A client update that enters a server step.
struct Contact {
  std::uint32_t client = 0;
  std::uint32_t base = 0;    ///< base version: server steps behind the model that the job began at
  std::uint32_t steps = 0;   ///< local steps behind the update
  double factor = 1;         ///< on the update: 1 / alpha of [FAV] section 3
  double weight = 1;         ///< of the client among those of the server step
  std::uint32_t number = 0;  ///< of the client's local job; addresses its minibatches
};

/// A server step: one update of the server's model.
struct TimedStep {
  double time = 0;                ///< when it ends: simulated, or seconds since the start
  std::vector<Contact> contacts;  ///< ascending clients, each once
};

}  // namespace trilemma
