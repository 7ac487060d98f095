#include <algorithm>

#include "base/check.hpp"
#include "comm/ranks.hpp"
#include "exchange/node_exchange.hpp"

namespace trilemma {
namespace {

std::span<const std::byte> bytes_of_ends(const std::vector<std::uint64_t>& ends) {
  return std::as_bytes(std::span(ends));
}

// Every pair of ranks with an edge between their nodes exchanges one MPI message in each direction.
// It holds each message once, however many neighbours its sender has there; messages of varying
// size follow their ends, 8 bytes each.
class Neighbours final : public NodeExchange {
 public:
  explicit Neighbours(NodeExchangeSetup setup)
      : setup_(std::move(setup)), arrived_(setup_.peers.nodes.size()) {}

  std::span<const NodeMessage> deliver(std::uint32_t step, const Packets& mine) override {
    const Placement& place = setup_.ranks.place();
    for (int rank = 0; rank < place.size; ++rank) send(rank, step, mine);
    messages_.clear();
    for (int rank = 0; rank < place.size; ++rank) {
      if (rank == place.rank)
        add_own(place, mine);
      else
        receive(rank, step, mine);
    }
    setup_.ranks.finish_peers();
    return messages_;
  }
  std::uint64_t sent_bytes() const override { return sent_; }

 private:
  void send(int rank, std::uint32_t step, const Packets& mine) {
    const auto& slots = setup_.peers.slots[static_cast<std::size_t>(rank)];
    if (slots.empty()) return;
    packed_.clear();
    ends_.clear();
    for (const std::uint32_t slot : slots) {
      const auto message = mine[slot];
      packed_.insert(packed_.end(), message.begin(), message.end());
      if (mine.varies()) ends_.push_back(packed_.size());
    }
    setup_.ranks.send_to_peer(rank, step, bytes_of_ends(ends_), packed_);
    sent_ += bytes_of_ends(ends_).size() + packed_.size();
  }

  void add_own(const Placement& place, const Packets& mine) {
    const auto first = static_cast<std::uint32_t>(place.first(place.rank));
    for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(place.count(place.rank)); ++slot)
      messages_.push_back({first + slot, mine[slot]});
  }

  void receive(int rank, std::uint32_t step, const Packets& mine) {
    const auto at = static_cast<std::size_t>(rank);
    const auto& nodes = setup_.peers.nodes[at];
    if (nodes.empty()) return;
    Arrival& arrival = arrived_[at];
    setup_.ranks.receive_from_peer(rank, step, arrival.bytes);
    std::span<const std::byte> packed = arrival.bytes;
    Packets all = Packets::equal(packed, mine.each());
    if (mine.varies()) {
      arrival.ends.resize(nodes.size());
      const auto ends = std::as_writable_bytes(std::span(arrival.ends));
      expect(packed.size() >= ends.size(), "messages without their ends");
      std::ranges::copy(packed.first(ends.size()), ends.begin());
      all = Packets::varying(packed.subspan(ends.size()), arrival.ends);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) messages_.push_back({nodes[i], all[i]});
  }

  struct Arrival {
    Bytes bytes;
    std::vector<std::uint64_t> ends;
  };

  NodeExchangeSetup setup_;
  std::vector<Arrival> arrived_;  ///< by rank
  std::vector<NodeMessage> messages_;
  Bytes packed_;                     ///< scratch memory
  std::vector<std::uint64_t> ends_;  ///< scratch memory
  std::uint64_t sent_ = 0;
};

}  // namespace

Row<NodeExchangeKind> neighbours_exchange() {
  return {"neighbours",
          "every rank sends each message once to each rank with a neighbour",
          {.make = [](NodeExchangeSetup setup) -> std::unique_ptr<NodeExchange> {
             return std::make_unique<Neighbours>(std::move(setup));
           },
           .copies = [](std::uint64_t pairs, const Placement&) { return pairs; }}};
}

}  // namespace trilemma
