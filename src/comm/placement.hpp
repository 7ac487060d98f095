#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// Which rank hosts which clients: contiguous blocks over the hosting ranks; the first
/// (clients mod hosts) ranks host one client more.
struct Placement {
  int rank = 0;
  int size = 1;
  int clients = 1;
  bool server_hosts = false;  ///< rank 0 hosts clients too; always so in a single process

  int first_host() const { return size == 1 || server_hosts ? 0 : 1; }
  int hosts() const { return size - first_host(); }
  /// First client of a rank, and how many it hosts.
  int first(int of_rank) const {
    const int h = of_rank - first_host();
    if (h < 0) return 0;
    const int rest = clients % hosts();
    return h * (clients / hosts()) + (h < rest ? h : rest);
  }
  int count(int of_rank) const {
    const int h = of_rank - first_host();
    return h < 0 ? 0 : clients / hosts() + (h < clients % hosts() ? 1 : 0);
  }
};

}  // namespace trilemma
