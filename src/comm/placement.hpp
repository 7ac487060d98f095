#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trilemma {

/// Which rank hosts which clients: contiguous blocks over the hosting ranks, in the order of the
/// clients. By default the first (clients mod hosts) ranks host one client more than the others.
struct Placement {
  int rank = 0;
  int size = 1;
  int clients = 1;
  bool server_hosts = false;  ///< rank 0 hosts clients too; always so in a single process
  /// First client of each host, and `clients` at the end; empty = equal numbers of clients.
  std::vector<int> blocks = {};

  int first_host() const { return size == 1 || server_hosts ? 0 : 1; }
  int hosts() const { return size - first_host(); }
  /// First client of a rank, and how many it hosts.
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

/// Blocks of clients such that the host with the most records has as few as contiguous blocks
/// allow, and no host is idle where there are as many clients. Depends on the arguments alone.
std::vector<int> blocks_by_records(std::span<const std::size_t> records, int hosts);

/// Records of every host.
std::vector<std::size_t> records_by_host(const Placement& placement,
                                         std::span<const std::size_t> records);

}  // namespace trilemma
