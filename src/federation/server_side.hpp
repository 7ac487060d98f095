#pragma once
// What rank 0 does with the sum of the messages: divide, add noise where the server is trusted with
// that, restore the memory, step.

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
  /// The mean is the sum of what came in over this: a public constant, the expected number of
  /// participants, whoever takes part.
  double divisor = 1;
  /// By client, where they differ: clients have multiplied their vectors by these, and the divisor
  /// is the sum over those that take part. Empty: all are 1.
  std::vector<double> weights = {};
  /// Clients send their models relative to where they started, and the server averages models: it
  /// makes the mean relative to its own.
  bool averages_models = false;
  double sigma = 0;  ///< of the noise on the mean, where the server adds it
  /// Draws the coordinates of a round where all clients send the same; else nullptr.
  ObliviousCompressor* mask = nullptr;
  const Rotation* rotation = nullptr;  ///< of the clients' vectors; nullptr = none
  Secret* secret = nullptr;            ///< of that noise; nullptr = seed
  MetricLog* metric_log = nullptr;
};

class ServerSide {
 public:
  ServerSide(const ServerParts& parts, std::uint64_t seed);

  /// Makes the sum of what the participants have sent their mean, with the server's noise.
  std::span<const double> aggregate(std::uint32_t round, Coordinates participants,
                                    std::span<double> sum, PhaseTimer& timer);
  /// Makes x the next state by the mean that was aggregated. `inputs` are those of the
  /// participants.
  void step(std::uint32_t round, View x, PhaseTimer& timer, RoundInputs inputs = {});
  /// What a restart must find again.
  void persist(State& state);

 private:
  double divisor(Coordinates participants) const;
  void relate(ConstView x, RoundInputs inputs);

  ServerParts parts_;
  std::uint64_t seed_;
  std::span<double> mean_;     ///< of the round, in the memory of the sum
  std::vector<double> noise_;  ///< scratch memory
  std::vector<std::uint32_t> sent_;
  MetricLog::Id mean_norm_, noise_norm_;
};

}  // namespace trilemma
