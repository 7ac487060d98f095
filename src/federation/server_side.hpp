#pragma once
// The server's work on the sum of the messages: division, noise of a trusted server, memory, step.

#include <optional>

#include "base/metric_log.hpp"
#include "base/phase_timer.hpp"
#include "federation/client_inputs.hpp"
#include "memory/memory.hpp"
#include "method/method.hpp"
#include "numeric/rotation.hpp"
#include "numeric/secret.hpp"
#include "privacy/joint.hpp"
#include "privacy/secure_sum.hpp"

namespace trilemma {

/// The metrics that the server records.
struct ServerMetrics {
  explicit ServerMetrics(MetricLog& log) : metric_log(log) {}
  MetricLog& metric_log;
  MetricLog::Id mean_norm = metric_log.declare(
      {.name = "mean_norm",
       .units = "1",
       .description = "norm of the mean of the updates received in the round; 0 at the start",
       .provenance = Provenance::updates,
       .runs = Metric::Runs::with_server});
  MetricLog::Id noise_norm =
      metric_log.declare({.name = "noise_norm",
                          .units = "1",
                          .description = "norm of the server's noise on that mean; 0 = none",
                          .provenance = Provenance::updates,
                          .runs = Metric::Runs::with_server});
};

/// The metrics of secure aggregation.
struct SecureMetrics {
  explicit SecureMetrics(MetricLog& log) : metric_log(log) {}
  MetricLog& metric_log;
  MetricLog::Id up = declare("bits_up_masks", "clients to server: keys, shares and answers");
  MetricLog::Id down = declare("bits_down_masks", "server to clients: keys and shares of others");

 private:
  MetricLog::Id declare(const char* name, const char* description);
};

/// Secure aggregation of the words.
struct SecureParts {
  PairMasks* masks;  ///< nullptr = none are added
  accounting::MaskGraph graph;
  std::uint64_t clients;
};

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
  double sigma = 0;    ///< of the noise that the server adds to the mean
  WordSum words = {};  ///< turns sums of words into sums of vectors
  std::optional<SecureParts> secure = {};
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
  /// Returns the direction of the last step; valid until the next aggregate().
  std::span<const double> direction() const { return mean_; }
  /// Saves or restores the state.
  void persist(State& state);

 private:
  double divisor(Coordinates participants) const;
  void unmask(std::uint32_t round, Coordinates participants, std::span<double> sum);
  void relate(ConstView x, RoundInputs inputs);

  ServerParts parts_;
  std::uint64_t seed_;
  std::span<double> mean_;     ///< mean of the round, in the memory of the sum
  std::vector<double> noise_;  ///< scratch memory
  std::vector<std::uint32_t> sent_;
  std::optional<ServerMetrics> metrics_;  ///< of rounds with a server
  std::optional<SecureMetrics> secure_metrics_;
};

}  // namespace trilemma
