#pragma once
// Interface of uplinks, which add up the messages of the clients on rank 0.

#include <functional>

#include "base/phase_timer.hpp"
#include "compress/outbox.hpp"
#include "exchange/bit_metrics.hpp"

namespace trilemma {

class Ranks;

/// Returns the server's reference for the vector of `client`; valid until the next call.
using Near = std::function<ConstView(std::uint32_t client)>;

/// Observes rounds on rank 0 without changing them, for audits and tests. Uplinks pass it the
/// messages, the round passes it the mean.
class UplinkTap {
 public:
  virtual ~UplinkTap() = default;
  /// Receives the encoded messages, in the order of the participants or, where they are shuffled,
  /// as the shuffler passes them on.
  virtual void messages(std::uint32_t round, Coordinates participants, const Packets& all) = 0;
  /// Receives the mean as the server releases it: after the server's noise, if any, and before the
  /// server memory.
  virtual void mean(std::uint32_t round, std::span<const double> perturbed) = 0;
};

/// Adds up the vectors of the participants on rank 0.
class Uplink {
 public:
  virtual ~Uplink() = default;
  /// Offers messages of this rank's first participants while the rank continues with the next ones;
  /// sum() gets all messages again. Time spent here is booked in the timer.
  virtual void post(std::uint32_t, Coordinates /*participants*/, const Packets& /*ready*/,
                    PhaseTimer&) {}
  /// Returns on rank 0 the sum of the vectors that the messages of all participants represent, with
  /// the same bits in any order (numeric/exact_sum.hpp); valid until the next post() or sum(), and
  /// may be changed. Returns nothing on other ranks. `mine` holds the messages of this rank's
  /// participants in their order; `participants` lists the clients of a rank consecutively, ranks
  /// ascending. Counts the bits, and passes all messages to the tap once a round if rank 0 sees
  /// them individually. Collective. Throws RunFailure, naming the client, if a message is not
  /// finite.
  virtual std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                                PhaseTimer& timer) = 0;
};

/// Inputs of an uplink. References must outlive it.
struct UplinkSetup {
  Ranks& ranks;
  MetricLog& metric_log;
  UplinkMetrics metrics;
  std::unique_ptr<Compressor> compressor;  ///< the receiving end
  std::size_t dimension = 0;               ///< length of the sum
  std::size_t stride = 0;  ///< the vector of client i starts at i * stride in the sum
  std::uint64_t seed = 1;  ///< seed of the masks, and of the shuffler's order without a secret
  double model_bits_per_value = 32;
  bool is_server = true;
  const Secret* secret = nullptr;  ///< of the shuffler; may be null
  UplinkTap* tap = nullptr;        ///< may be null
  Near reference_model = {};  ///< reference for compressors that use one; empty if there is none
};

/// A kind of uplink: a row of uplinks() or uplink_choices().
struct UplinkKind {
  std::unique_ptr<Uplink> (*make)(UplinkSetup);  ///< nullptr: one of uplinks() takes its place
  /// Whether every rank decodes and adds the messages of its own clients, so that sums are sent.
  bool sums_on_ranks = false;
};

/// The uplink whose server does not learn the senders of messages, which must not depend on them.
inline constexpr const char* shuffled_uplink = "shuffle";

/// Returns the table of uplinks: gather, overlap, reduce, hierarchical, shuffle.
std::span<const Row<UplinkKind>> uplinks();
/// Returns whether one of them is called `name`.
bool is_uplink(std::string_view name);
/// Returns the values of exchange.up: auto (exchange/automatic.hpp), then the uplinks.
std::span<const Row<UplinkKind>> uplink_choices();

}  // namespace trilemma
