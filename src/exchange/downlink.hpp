#pragma once
// How the server's model reaches the clients.

#include <memory>

#include "core/types.hpp"
#include "exchange/bit_metrics.hpp"
#include "settings/table.hpp"

namespace trilemma {

class Ranks;

class Downlink {
 public:
  virtual ~Downlink() = default;
  /// The model of rank 0 to all ranks, of whose clients so many work at it. Counts what travels.
  /// Collective.
  virtual void send(View model, std::uint64_t receivers) = 0;
};

/// What a downlink connects. References must outlive it.
struct DownlinkSetup {
  Ranks& ranks;
  Journal& journal;
  DownlinkMetrics metrics;
  double model_bits_per_value = 32;
};

using DownlinkMaker = std::unique_ptr<Downlink> (*)(const DownlinkSetup&);

/// plain.
std::span<const Row<DownlinkMaker>> downlinks();

}  // namespace trilemma
