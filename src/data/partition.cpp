#include "data/partition.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "numeric/draws.hpp"

namespace trilemma {

// One declaration and one row for each partition defined in another file.
Row<PartitionMaker> shards_partition();
Row<PartitionMaker> dirichlet_partition();
Row<PartitionMaker> natural_partition();

namespace {

using Order = std::vector<std::uint32_t> (*)(const std::vector<std::int32_t>& label,
                                             std::uint64_t seed);

std::vector<std::uint32_t> contiguous(const std::vector<std::int32_t>& label, std::uint64_t) {
  return first_numbers(label.size());
}

// The key has purpose data and round 1; round 0 belongs to generators.
std::vector<std::uint32_t> shuffled(const std::vector<std::int32_t>& label, std::uint64_t seed) {
  auto order = first_numbers(label.size());
  shuffle(order, {seed, Purpose::data, 0, 1});
  return order;
}

std::vector<std::uint32_t> label_sorted(const std::vector<std::int32_t>& label, std::uint64_t) {
  return sorted_by_label(label);
}

// Assigns consecutive blocks of an order of the records to the clients.
class Blocks final : public Partitioner {
 public:
  explicit Blocks(Order order) : order_(order) {}
  bool uses_labels() const override { return order_ == label_sorted; }
  Partition partition(const Dataset& train, std::size_t clients,
                      std::uint64_t seed) const override {
    return cut(order_(train.label, seed), clients);
  }

 private:
  Order order_;
};

template <Order order>
std::unique_ptr<Partitioner> make_blocks() {
  return std::make_unique<Blocks>(order);
}

}  // namespace

std::span<const Row<PartitionMaker>> partitions() {
  static const Row<PartitionMaker> table[] = {
      part_without_settings("contiguous", "blocks in the order of the file",
                            make_blocks<contiguous>),
      also_called("iid i.i.d. uniform random",
                  part_without_settings("shuffled",
                                        "records in random order: identically distributed clients",
                                        make_blocks<shuffled>)),
      part_without_settings("label-sorted",
                            "stable sort by label, then blocks: strongly heterogeneous clients",
                            make_blocks<label_sorted>),
      also_called("pathological", shards_partition()),
      also_called("non-iid noniid lda", dirichlet_partition()),
      also_called("users user by-user", natural_partition()),
  };
  return table;
}

std::vector<std::size_t> Partition::sizes() const {
  if (records_of_each > 0) return std::vector<std::size_t>(client.size(), records_of_each);
  std::vector<std::size_t> sizes;
  for (const auto& records : client) sizes.push_back(records.size());
  return sizes;
}

std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

std::vector<std::uint32_t> sorted_by_label(const std::vector<std::int32_t>& label) {
  auto order = first_numbers(label.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return label[a] < label[b]; });
  return order;
}

// Describes clients with equal numbers of records: "10 clients with 50 records each".
std::string all_alike(std::size_t clients, std::size_t records) {
  return fmt::format("{} with {}{}", counted(clients, "client"), counted(records, "record"),
                     clients == 1 ? "" : " each");
}

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
  partition.description =
      rest == 0 ? all_alike(clients, base)
                : fmt::format("{}: {} with {}, {} with {}", counted(clients, "client"), rest,
                              counted(base + 1, "record"), clients - rest, base);
  return partition;
}

std::string describe_sizes(const std::vector<std::vector<std::uint32_t>>& client) {
  std::size_t least = client.front().size();
  std::size_t most = 0;
  for (const auto& records : client) {
    least = std::min(least, records.size());
    most = std::max(most, records.size());
  }
  if (least == most) return all_alike(client.size(), least);
  return fmt::format("{} clients with {} to {} records", client.size(), least, most);
}

}  // namespace trilemma
