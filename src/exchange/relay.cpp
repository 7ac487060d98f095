#include "comm/ranks.hpp"
#include "exchange/node_exchange.hpp"

namespace trilemma {
namespace {

// Rank 0 gathers all messages and broadcasts all of them to every rank.
class Relay final : public NodeExchange {
 public:
  explicit Relay(NodeExchangeSetup setup) : setup_(std::move(setup)) {}

  std::span<const NodeMessage> deliver(std::uint32_t, const Packets& mine) override {
    const Placement& place = setup_.ranks.place();
    const Packets all = setup_.ranks.relay_messages(mine, sent_);
    messages_.clear();
    for (int rank = 0; rank < place.size; ++rank) {
      if (rank != place.rank) {
        for (const std::uint32_t node : setup_.peers.nodes[static_cast<std::size_t>(rank)])
          messages_.push_back({node, all[node]});
        continue;
      }
      const auto first = static_cast<std::uint32_t>(place.first(rank));
      for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(place.count(rank)); ++slot)
        messages_.push_back({first + slot, mine[slot]});
    }
    return messages_;
  }
  std::uint64_t sent_bytes() const override { return sent_; }

 private:
  NodeExchangeSetup setup_;
  std::vector<NodeMessage> messages_;
  std::uint64_t sent_ = 0;
};

// Ranks other than 0 send their own messages, and rank 0 sends all messages to each of them.
std::uint64_t relayed(std::uint64_t, const Placement& place) {
  const auto nodes = static_cast<std::uint64_t>(place.clients);
  return nodes - static_cast<std::uint64_t>(place.count(0)) +
         static_cast<std::uint64_t>(place.size - 1) * nodes;
}

}  // namespace

Row<NodeExchangeKind> relay_exchange() {
  return {"relay",
          "rank 0 gathers all messages and broadcasts them",
          {.make = [](NodeExchangeSetup setup) -> std::unique_ptr<NodeExchange> {
             return std::make_unique<Relay>(std::move(setup));
           },
           .copies = relayed,
           .passes_rank_0 = true}};
}

}  // namespace trilemma
