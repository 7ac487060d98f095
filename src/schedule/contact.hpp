#pragma once

#include <cstdint>
#include <vector>

namespace trilemma {

/// A client update that enters a server step.
struct Contact {
  std::uint32_t client = 0;
  std::uint32_t base = 0;    ///< base version: server steps taken when the job's model was made
  std::uint32_t steps = 0;   ///< number of local steps of the update
  double factor = 1;         ///< factor of the update: 1 / alpha of [FAV] section 3
  double weight = 1;         ///< weight of the client in the server step
  std::uint32_t number = 0;  ///< number of the client's local job; addresses its minibatches
};

/// A server step: one update of the server's model.
struct TimedStep {
  double time = 0;                ///< time of its end: simulated, or seconds since the start
  std::vector<Contact> contacts;  ///< in ascending order of clients, at most one per client
};

}  // namespace trilemma
