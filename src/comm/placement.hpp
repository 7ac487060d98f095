#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trilemma {

/// Assignment of clients to ranks: contiguous blocks over the hosting ranks, in client order. By
/// default the first (clients mod hosts) hosts have one client more than the others.
struct Placement {
  int rank = 0;
  int size = 1;
  int clients = 1;
  bool server_hosts = false;  ///< rank 0 also hosts clients; always true in a single process
  /// First client of each host, with `clients` appended; empty = equal numbers of clients.
  std::vector<int> blocks = {};

  int first_host() const { return size == 1 || server_hosts ? 0 : 1; }
  /// Returns the number of hosting ranks.
  int hosts() const { return size - first_host(); }
  /// Returns the first client of rank `of_rank`; count() returns the number of its clients.
  int first(int of_rank) const {
    const int h = of_rank - first_host();
    if (h < 0) return 0;
    if (!blocks.empty()) return blocks[static_cast<std::size_t>(h)];
    const int rest = clients % hosts();
    return h * (clients / hosts()) + (h < rest ? h : rest);
  }
  int count(int of_rank) const {
    const int h = of_rank - first_host();
    if (h >= 0 && !blocks.empty()) {
      const auto at = static_cast<std::size_t>(h);
      return blocks[at + 1] - blocks[at];
    }
    return h < 0 ? 0 : clients / hosts() + (h < clients % hosts() ? 1 : 0);
  }
};

/// Returns the blocks of clients that minimise the number of records on the host with the most
/// records; no host is idle if there are enough clients. Depends on the arguments alone.
std::vector<int> blocks_by_records(std::span<const std::size_t> records, int hosts);

/// Returns the number of records of every host.
std::vector<std::size_t> records_by_host(const Placement& placement,
                                         std::span<const std::size_t> records);

}  // namespace trilemma
