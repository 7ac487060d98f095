#pragma once
// How the server's model reaches the clients.

#include <memory>

#include "base/state.hpp"
#include "compress/compressor.hpp"
#include "exchange/bit_metrics.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Takes the place of a client in the address of the server's masks and roundings; clients and what
/// they share have others.
inline constexpr std::uint32_t downlink_client = 0xFFFFFFFEU;

class Ranks;

class Downlink {
 public:
  virtual ~Downlink() = default;
  /// The model of rank 0 to all ranks, of whose clients so many get it. Returns what they have then
  /// and work at, equal on all ranks and valid until the next call. Counts what travels.
  /// Collective.
  virtual ConstView send(std::uint32_t round, View model, std::uint64_t receivers) = 0;
  /// All clients must get every round's message, also those that do not take part.
  virtual bool reaches_everyone() const { return false; }
  /// What a restart must find again, equal on every rank.
  virtual void persist(State&) {}
};

/// What a downlink connects. References must outlive it.
struct DownlinkSetup {
  Ranks& ranks;
  MetricLog& metric_log;
  DownlinkMetrics metrics;
  double model_bits_per_value = 32;
  std::unique_ptr<Compressor> compressor = {};  ///< nullptr where it sends the model as it is
  ConstView start = {};                         ///< what all have before the first round
  std::uint64_t seed = 1;                       ///< of what the compressor draws
};

using DownlinkMaker = std::unique_ptr<Downlink> (*)(DownlinkSetup);

/// plain, compressed, direct.
std::span<const Row<DownlinkMaker>> downlinks();

}  // namespace trilemma
