#pragma once
// Interface of downlinks, which deliver the server's model to the clients.

#include <memory>

#include "base/state.hpp"
#include "compress/compressor.hpp"
#include "exchange/bit_metrics.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Replaces the client number in the address of the server's masks and roundings; differs from all
/// client numbers and from the address of shared masks.
inline constexpr std::uint32_t downlink_client = 0xFFFFFFFEU;

class Ranks;

/// Delivers the server's model to the clients.
class Downlink {
 public:
  virtual ~Downlink() = default;
  /// Broadcasts the model of rank 0; `receivers` clients are counted as receiving it. Returns the
  /// model that clients train on, equal on all ranks and valid until the next call. Counts the bits
  /// of the messages. Collective.
  virtual ConstView send(std::uint32_t round, View model, std::uint64_t receivers) = 0;
  /// Whether every client must get the message of every round, even when it does not participate.
  virtual bool reaches_everyone() const { return false; }
  /// Saves or restores the state, which is equal on every rank.
  virtual void persist(State&) {}
};

/// Inputs of a downlink. References must outlive it.
struct DownlinkSetup {
  Ranks& ranks;
  MetricLog& metric_log;
  DownlinkMetrics metrics;
  double model_bits_per_value = 32;
  std::unique_ptr<Compressor> compressor = {};  ///< nullptr: the model is sent uncompressed
  ConstView start = {};    ///< the model that all clients have before the first round
  std::uint64_t seed = 1;  ///< seed of the compressor's draws
};

using DownlinkMaker = std::unique_ptr<Downlink> (*)(DownlinkSetup);

/// Returns the table of downlinks: plain, compressed, direct.
std::span<const Row<DownlinkMaker>> downlinks();

}  // namespace trilemma
