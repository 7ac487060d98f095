#pragma once
// The server's work on the sum of the messages: division, noise of a trusted server, memory, step.

#include "base/metric_log.hpp"
#include "base/phase_timer.hpp"
#include "compress/rotation.hpp"
#include "federation/client_inputs.hpp"
#include "memory/memory.hpp"
#include "method/method.hpp"
#include "numeric/secret.hpp"

namespace trilemma {

/// The parts of the server; owned elsewhere.
struct ServerParts {
  ServerMemory* memory;
  ServerStep* step;
  /// Divisor of the sum: a public constant, the expected number of participants, whatever their
  /// actual number.
  double divisor = 1;
  /// Weights by client, if they differ: clients have multiplied their vectors by them, and the
  /// divisor is the sum over the participants. Empty: all are 1.
  std::vector<double> weights = {};
  /// Clients send their models relative to where they started, and the server averages models: it
  /// makes the mean relative to its own.
  bool averages_models = false;
  double sigma = 0;  ///< of the noise that the server adds to the mean
  /// Draws the coordinates of a round if all clients send the same; otherwise nullptr.
  ObliviousCompressor* mask = nullptr;
  const Rotation* rotation = nullptr;  ///< rotation of the clients' vectors; nullptr = none
  Secret* secret = nullptr;            ///< secret for the noise; nullptr = seed
  MetricLog* metric_log = nullptr;     ///< nullptr = there are no rounds with a server to record
};

/// The server of a federation, on rank 0.
class ServerSide {
 public:
  ServerSide(const ServerParts& parts, std::uint64_t seed);

  /// Turns the sum of the participants' vectors into their mean, with the server's noise times
  /// `noise_factor`.
  std::span<const double> aggregate(std::uint32_t round, Coordinates participants,
                                    std::span<double> sum, PhaseTimer& timer,
                                    double noise_factor = 1);
  /// Replaces x by the next state, using the mean of the last aggregate(). `inputs` are those of
  /// the participants.
  void step(std::uint32_t round, View x, PhaseTimer& timer, RoundInputs inputs = {});
  /// Saves or restores the state.
  void persist(State& state);

 private:
  double divisor(Coordinates participants) const;
  void relate(ConstView x, RoundInputs inputs);

  ServerParts parts_;
  std::uint64_t seed_;
  std::span<double> mean_;     ///< mean of the round, in the memory of the sum
  std::vector<double> noise_;  ///< scratch memory
  std::vector<std::uint32_t> sent_;
  MetricLog::Id mean_norm_ = 0, noise_norm_ = 0;
};

}  // namespace trilemma
