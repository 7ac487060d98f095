#include "data/partition.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace trilemma {
namespace {

std::vector<std::uint32_t> contiguous(const std::vector<std::int32_t>& label, std::uint64_t) {
  std::vector<std::uint32_t> order(label.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

// Fisher-Yates with the keyed stream (purpose data, round 1; round 0 belongs to generators).
std::vector<std::uint32_t> shuffled(const std::vector<std::int32_t>& label, std::uint64_t seed) {
  auto order = contiguous(label, seed);
  Stream stream({seed, Purpose::data, 0, 1});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
  return order;
}

std::vector<std::uint32_t> label_sorted(const std::vector<std::int32_t>& label,
                                        std::uint64_t seed) {
  auto order = contiguous(label, seed);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return label[a] < label[b]; });
  return order;
}

void no_settings(Settings&) {}

constexpr Row<PartitionMaker> table[] = {
    {"contiguous", "blocks in the order of the file", no_settings, contiguous},
    {"shuffled", "records in random order: identically distributed clients", no_settings, shuffled},
    {"label-sorted", "stable sort by label, then blocks: strongly heterogeneous clients",
     no_settings, label_sorted},
};

}  // namespace

std::span<const Row<PartitionMaker>> partitions() { return table; }

Partition cut(const std::vector<std::uint32_t>& order, std::size_t clients) {
  require(clients <= order.size(), "clients = {}: more clients than the {} records; lower clients",
          clients, order.size());
  Partition partition;
  const std::size_t base = order.size() / clients;
  const std::size_t rest = order.size() % clients;
  auto at = order.begin();
  for (std::size_t c = 0; c < clients; ++c) {
    const auto count = static_cast<std::ptrdiff_t>(base + (c < rest ? 1 : 0));
    partition.client.emplace_back(at, at + count);
    at += count;
  }
  partition.description = rest == 0 ? fmt::format("{} clients with {} records each", clients, base)
                                    : fmt::format("{} clients: {} with {} records, {} with {}",
                                                  clients, rest, base + 1, clients - rest, base);
  return partition;
}

}  // namespace trilemma
