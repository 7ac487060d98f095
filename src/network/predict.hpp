#pragma once

#include <optional>

#include "network/network.hpp"
#include "network/run_traffic.hpp"

namespace trilemma {

/// Predicted time of the rounds of a run on a network, without evaluation, recording and
/// checkpoints.
struct Prediction {
  double rounds = 0;
  double compute = 0;       ///< s: the clients of the host with the most work, and the server
  double down = 0;          ///< s, for the model
  double up = 0;            ///< s, for the messages, or their sums; also for those between nodes
  std::vector<Call> calls;  ///< calls of one round, without empty ones
  double seconds() const { return compute + down + up; }
  /// Returns the time in which averaging alone divides the distance of the nodes from their mean by
  /// e, for a graph with this spectral gap.
  double seconds_per_e_fold(double spectral_gap) const;
};

/// Returns the first evaluated row with at least `accuracy`; the last row if no accuracy is given;
/// nullopt if the run never reaches it.
std::optional<std::size_t> row_of(const RunTraffic& run, std::optional<double> accuracy);

/// Returns the prediction for the rounds up to `row`, with the clients distributed evenly over the
/// network's ranks. Every round has messages of the mean size of these rounds; computing takes as
/// long as it did in the run.
Prediction predict(const RunTraffic& run, const Network& network, std::size_t row);

/// Returns the bandwidth, in bit/s, at which two runs take equally long on links with this latency:
/// below it the run that sends less is faster, above it the other. Returns nullopt if one run is
/// faster at any bandwidth.
std::optional<double> crossing(const RunTraffic& a, std::size_t row_of_a, const RunTraffic& b,
                               std::size_t row_of_b, int ranks, double latency,
                               Topology topology = Topology::star);

}  // namespace trilemma
