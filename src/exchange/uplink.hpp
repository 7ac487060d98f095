#pragma once
// How what the clients send becomes a sum on rank 0.

#include <functional>

#include "base/phase_timer.hpp"
#include "compress/outbox.hpp"
#include "exchange/bit_metrics.hpp"

namespace trilemma {

class Ranks;

/// What the server knows the vector of a participant to be close to; valid until the next call.
using Near = std::function<ConstView(std::uint32_t client)>;

/// Watches rounds on rank 0 without changing them: what an adversary or a test sees. Uplinks show
/// it the messages, the round shows it the mean.
class UplinkTap {
 public:
  virtual ~UplinkTap() = default;
  /// The encoded messages, in the order of the participants.
  virtual void messages(std::uint32_t round, Coordinates participants, const Packets& all) = 0;
  /// Their mean as the server releases it: with its noise, if it adds any, before its memory.
  virtual void mean(std::uint32_t round, std::span<const double> perturbed) = 0;
};

class Uplink {
 public:
  virtual ~Uplink() = default;
  /// Messages of this rank that are ready while it goes on working, those of its first participants
  /// first; sum() gets all of them again. What works here books its time in the timer.
  virtual void post(std::uint32_t, Coordinates /*participants*/, const Packets& /*ready*/,
                    PhaseTimer&) {}
  /// The sum of the vectors that the messages of all participants stand for, the same to the bit in
  /// any order (numeric/exact_sum.hpp): on rank 0, where it is valid until the next post() or sum()
  /// and may be changed, elsewhere nothing. `mine` are the messages of those participants that this
  /// rank hosts, in their order; those of a rank stand side by side among the participants, and the
  /// ranks ascend. Counts what travels, and shows the tap all messages, once a round, where rank 0
  /// sees them one by one. Collective. Throws RunFailure, naming the client, where a message is not
  /// finite.
  virtual std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                                PhaseTimer& timer) = 0;
};

/// What an uplink connects. References must outlive it.
struct UplinkSetup {
  Ranks& ranks;
  MetricLog& metric_log;
  UplinkMetrics metrics;
  std::unique_ptr<Compressor> compressor;  ///< the receiving end
  std::size_t dimension = 0;               ///< of the sum
  std::size_t stride = 0;  ///< the vector of client i belongs at i * stride in the sum
  std::uint64_t seed = 1;  ///< of the masks
  double model_bits_per_value = 32;
  bool is_server = true;
  UplinkTap* tap = nullptr;   ///< may be null
  Near reference_model = {};  ///< of compressors that look at it; empty where nothing is known
};

/// A kind of uplink: a row of uplinks().
struct UplinkKind {
  std::unique_ptr<Uplink> (*make)(UplinkSetup);
  /// Every rank decodes and adds up the messages of its own clients, and sums travel.
  bool sums_on_ranks = false;
};

/// gather, overlap, reduce, hierarchical.
std::span<const Row<UplinkKind>> uplinks();

}  // namespace trilemma
