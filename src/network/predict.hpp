#pragma once

#include <optional>

#include "network/network.hpp"
#include "network/run_traffic.hpp"

namespace trilemma {

/// Time that the rounds of a run would take on a network; evaluation, recording and checkpoints are
/// left out.
struct Prediction {
  double rounds = 0;
  double compute = 0;       ///< s: the fullest host's clients, and the server
  double down = 0;          ///< s, the model
  double up = 0;            ///< s, the messages, or their sums
  std::vector<Call> calls;  ///< of one round, without empty ones
  double seconds() const { return compute + down + up; }
};

/// The row in which a run reaches this accuracy first; without one that of its end. Nothing where
/// it does not reach it.
std::optional<std::size_t> row_of(const RunTraffic& run, std::optional<double> accuracy);

/// The rounds up to a row, with the clients spread evenly over the network's ranks. Every round has
/// the mean messages of these rounds; computing takes as long as it did in the run.
Prediction predict(const RunTraffic& run, const Network& network, std::size_t row);

/// Returns the bandwidth, in bit/s, at which two runs take equally long on links with this latency:
/// below it the run that sends less is faster, above it the other. Returns nothing if one run is
/// faster at any bandwidth.
std::optional<double> crossing(const RunTraffic& a, std::size_t row_of_a, const RunTraffic& b,
                               std::size_t row_of_b, int ranks, double latency,
                               Topology topology = Topology::star);

}  // namespace trilemma
