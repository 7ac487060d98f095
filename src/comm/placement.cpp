#include "comm/placement.hpp"

#include <algorithm>
#include <numeric>

namespace trilemma {
namespace {

// Returns the first clients of blocks filled one after the other with up to `most` records each;
// empty if the hosts do not suffice. Leaves one client for every later host while there are enough
// clients.
std::vector<int> fill(std::span<const std::size_t> records, int hosts, std::size_t most) {
  const int clients = static_cast<int>(records.size());
  std::vector<int> blocks{0};
  int at = 0;
  for (int h = 0; h < hosts; ++h) {
    const int later = std::min(hosts - 1 - h, clients - at);
    std::size_t filled = 0;
    bool is_idle = true;
    while (at < clients && filled + records[static_cast<std::size_t>(at)] <= most &&
           (is_idle || clients - at > later)) {
      filled += records[static_cast<std::size_t>(at)];
      ++at;
      is_idle = false;
    }
    blocks.push_back(at);
  }
  return at == clients ? blocks : std::vector<int>{};
}

}  // namespace

std::vector<int> blocks_by_records(std::span<const std::size_t> records, int hosts) {
  std::size_t low = records.empty() ? 0 : *std::max_element(records.begin(), records.end());
  std::size_t high = std::accumulate(records.begin(), records.end(), std::size_t{0});
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fill(records, hosts, middle).empty())
      low = middle + 1;
    else
      high = middle;
  }
  return fill(records, hosts, high);
}

std::vector<std::size_t> records_by_host(const Placement& placement,
                                         std::span<const std::size_t> records) {
  std::vector<std::size_t> sums;
  for (int rank = placement.first_host(); rank < placement.size; ++rank) {
    const auto own = records.subspan(static_cast<std::size_t>(placement.first(rank)),
                                     static_cast<std::size_t>(placement.count(rank)));
    sums.push_back(std::accumulate(own.begin(), own.end(), std::size_t{0}));
  }
  return sums;
}

}  // namespace trilemma
