#pragma once

#include "core/table.hpp"
#include "data/dataset.hpp"

namespace trilemma {

/// Which records each client holds, in the client's own order.
struct Partition {
  std::vector<std::vector<std::uint32_t>> client;
  std::string description;  ///< with the remainder, if the blocks are not equal
};

/// Orders the records; consecutive blocks of the order go to the clients.
using PartitionMaker = std::vector<std::uint32_t> (*)(const std::vector<std::int32_t>& label,
                                                      std::uint64_t seed);

/// contiguous, shuffled, label-sorted.
std::span<const Row<PartitionMaker>> partitions();

/// Cuts the order into `clients` blocks; the first (records mod clients) get one record more.
Partition cut(const std::vector<std::uint32_t>& order, std::size_t clients);

}  // namespace trilemma
