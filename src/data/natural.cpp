#include <algorithm>

#include "data/partition.hpp"

namespace trilemma {
namespace {

// One client per user of the data.
class Natural final : public Partitioner {
 public:
  Partition partition(const Dataset& train, std::size_t clients, std::uint64_t) const override {
    require(!train.user.empty(),
            "partition.kind = \"natural\": this source knows no users; choose another partition");
    const std::size_t users =
        std::size_t{1} + *std::max_element(train.user.begin(), train.user.end());
    require(users == clients,
            "clients = {}: the data have {} users, who are the clients; set "
            "clients = {}, or leave it out",
            clients, users, users);
    Partition out;
    out.client.resize(users);
    for (std::uint32_t r = 0; r < train.size(); ++r) out.client[train.user[r]].push_back(r);
    for (std::size_t u = 0; u < users; ++u)
      require(!out.client[u].empty(), "user {} has no records for training", u);
    out.description = describe_sizes(out.client);
    return out;
  }
  bool follows_users() const override { return true; }
};

std::unique_ptr<Partitioner> make_natural() { return std::make_unique<Natural>(); }

}  // namespace

Row<PartitionMaker> natural_partition() {
  return part_without_settings("natural", "the users of the data are the clients", make_natural);
}

}  // namespace trilemma
