#pragma once
// What clients that come to the server on their own are given, on the simulated clock and in real
// time alike.

#include <algorithm>
#include <cmath>

#include "numeric/draws.hpp"
#include "schedule/timeline.hpp"

namespace trilemma {

/// Who gets the model of the start: all, or options.in_flight clients drawn at random.
inline std::vector<std::uint32_t> first_clients(const ArrivalOptions& options,
                                                const TimelineSetup& setup) {
  std::vector<std::uint32_t> first(setup.clients);
  if (options.in_flight > 0)
    SubsetDraw{}({setup.seed, Purpose::participation, 0, 0}, setup.clients,
                 static_cast<std::size_t>(std::min<long>(options.in_flight, setup.clients)), first);
  else
    for (std::uint32_t client = 0; client < setup.clients; ++client) first[client] = client;
  return first;
}

/// Who gets the model after so many server steps, where it goes to one drawn at random.
inline std::uint32_t next_client(std::uint64_t seed, std::uint32_t steps, std::uint32_t clients) {
  return Stream({seed, Purpose::participation, 0, steps}).below(clients);
}

/// Weight of a client whose local steps began so many server steps ago.
inline double staleness_weight(const ArrivalOptions& options, std::uint32_t staleness) {
  return options.staleness_power == 0 ? 1 : std::pow(1.0 + staleness, -options.staleness_power);
}

}  // namespace trilemma
