#pragma once

#include <memory>

#include "data/dataset.hpp"
#include "numeric/random.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// The records of each client, in the client's own order.
struct Partition {
  std::vector<std::vector<std::uint32_t>> client;
  std::string description;  ///< in words, with sizes and the number of unused records
  /// If not 0, every client has as many records, and `client` lists those of hosted clients only.
  std::size_t records_of_each = 0;

  /// Returns the number of records of each client.
  std::vector<std::size_t> sizes() const;
};

/// Distributes the records of a training set over clients.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  /// Returns the partition of `train` over `clients` clients.
  virtual Partition partition(const Dataset& train, std::size_t clients,
                              std::uint64_t seed) const = 0;
  /// Returns whether the partition depends on the labels of all records.
  virtual bool uses_labels() const { return false; }
  /// Returns whether clients are the users of the data, for test records too.
  virtual bool follows_users() const { return false; }
};
using PartitionMaker = std::function<std::unique_ptr<Partitioner>()>;

/// Returns the table of partitions: contiguous, shuffled, label-sorted, shards, dirichlet, natural.
std::span<const Row<PartitionMaker>> partitions();

/// Cuts `order` into `clients` blocks; the first (records mod clients) blocks have one record more.
Partition cut(const std::vector<std::uint32_t>& order, std::size_t clients);

/// Returns "N clients with M records each", or the smallest and largest numbers of records.
std::string describe_sizes(const std::vector<std::vector<std::uint32_t>>& client);

/// Returns 0, 1, ..., count - 1.
std::vector<std::uint32_t> first_numbers(std::size_t count);

/// Returns the records in ascending order of their labels; records with equal labels keep their
/// order.
std::vector<std::uint32_t> sorted_by_label(const std::vector<std::int32_t>& label);

}  // namespace trilemma
