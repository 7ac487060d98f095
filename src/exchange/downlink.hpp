#pragma once
// Interface of downlinks, which deliver the server's model to the clients.

#include <functional>
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

/// The step of a server, taken at a client: moves the model along the direction of the round.
using ClientStep =
    std::function<void(std::uint32_t round, View model, std::span<const double> direction)>;

/// Delivers the server's model to the clients.
class Downlink {
 public:
  virtual ~Downlink() = default;
  /// Broadcasts the model of rank 0; `receivers` clients are counted as receiving it. Returns the
  /// model that clients train on, equal on all ranks and valid until the next call. Counts the bits
  /// of the messages. Collective.
  virtual ConstView send(std::uint32_t round, View model, std::uint64_t receivers) = 0;
  /// Ends the round after the server's step, whose direction rank 0 passes; `model` is the model of
  /// this rank. Collective.
  virtual void end_round(std::uint32_t, View /*model*/, std::span<const double> /*direction*/,
                         std::uint64_t /*receivers*/) {}
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
  ConstView start = {};     ///< the model that all clients have before the first round
  std::uint64_t seed = 1;   ///< seed of the compressor's draws
  std::size_t scalars = 0;  ///< length of the direction that clients receive instead of a model
  ClientStep step = {};     ///< how they move the model along it
};

/// What a downlink sends.
enum class Carries { model, compressed_model, scalars };

/// A kind of downlink: a row of downlinks().
struct DownlinkKind {
  std::unique_ptr<Downlink> (*make)(DownlinkSetup);
  Carries carries;
  /// Whether every client must get the message of every round, even when it does not participate.
  bool reaches_everyone = false;
};

/// Returns the table of downlinks: plain, compressed, direct, scalars.
std::span<const Row<DownlinkKind>> downlinks();

}  // namespace trilemma
