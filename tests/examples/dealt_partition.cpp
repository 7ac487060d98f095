#include "data/partition.hpp"

namespace trilemma {
namespace {

struct DealtOptions {
  std::size_t hand = 1;
  void read(Reader& r) {
    r("hand", hand, {.low = 1, .high = 1e6}, "consecutive records that a client gets at a time");
  }
};

// Deals the records to the clients in turn, `hand` consecutive ones at a time.
class Dealt final : public Partitioner {
 public:
  explicit Dealt(const DealtOptions& options) : options_(options) {}
  Partition partition(const Dataset& train, std::size_t clients, std::uint64_t) const override {
    require(train.size() > (clients - 1) * options_.hand,
            "partition.hand = {}: {} records do not reach all {} clients; lower it", options_.hand,
            train.size(), clients);
    Partition out;
    out.client.resize(clients);
    for (std::uint32_t r = 0; r < train.size(); ++r)
      out.client[r / options_.hand % clients].push_back(r);
    out.description = describe_sizes(out.client);
    return out;
  }

 private:
  DealtOptions options_;
};

std::unique_ptr<Partitioner> make_dealt(const DealtOptions& options) {
  return std::make_unique<Dealt>(options);
}

}  // namespace

Row<PartitionMaker> dealt_partition() {
  return part_with_settings("dealt", "records dealt in turn", make_dealt);
}

}  // namespace trilemma
