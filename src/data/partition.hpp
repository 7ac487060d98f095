#pragma once

#include <memory>

#include "data/dataset.hpp"
#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Which records each client holds, in the client's own order.
struct Partition {
  std::vector<std::vector<std::uint32_t>> client;
  std::string description;  ///< in words, with sizes and what was left out
};

/// Spreads the records of a training set over clients.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  virtual Partition partition(const Dataset& train, std::size_t clients,
                              std::uint64_t seed) const = 0;
  /// Who holds what depends on the labels of all records.
  virtual bool uses_labels() const { return false; }
  /// The users of the data are the clients, also those of its test records.
  virtual bool follows_users() const { return false; }
};
using PartitionMaker = std::unique_ptr<Partitioner> (*)(Settings&);

/// contiguous, shuffled, label-sorted, shards, dirichlet, natural.
std::span<const Row<PartitionMaker>> partitions();

/// Cuts the order into `clients` blocks; the first (records mod clients) get one record more.
Partition cut(const std::vector<std::uint32_t>& order, std::size_t clients);

/// "N clients with M records each", or how many have least and most.
std::string describe_sizes(const std::vector<std::vector<std::uint32_t>>& client);

/// 0, 1, ..., count - 1.
std::vector<std::uint32_t> first_numbers(std::size_t count);

/// The records in ascending order of their labels, otherwise in their own.
std::vector<std::uint32_t> sorted_by_label(const std::vector<std::int32_t>& label);

}  // namespace trilemma
