#include <algorithm>
#include <numeric>

#include "comm/ranks.hpp"
#include "exchange/node_exchange.hpp"

namespace trilemma {
namespace {

// The ranks whose lists are not empty.
std::vector<int> ranks_with(const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<int> found;
  for (std::size_t rank = 0; rank < lists.size(); ++rank)
    if (!lists[rank].empty()) found.push_back(static_cast<int>(rank));
  return found;
}

// The same messages as those of `neighbours`, by one neighbourhood collective of MPI; where sizes
// vary, by one more for the ends of the messages.
class Collective final : public NodeExchange {
 public:
  explicit Collective(NodeExchangeSetup setup)
      : setup_(std::move(setup)),
        from_(ranks_with(setup_.peers.nodes)),
        to_(ranks_with(setup_.peers.slots)),
        neighbourhood_(setup_.ranks.neighbourhood(from_, to_)),
        send_(to_.size()),
        receive_(from_.size()) {}

  std::span<const NodeMessage> deliver(std::uint32_t, const Packets& mine) override {
    pack(mine);
    if (mine.varies()) exchange_ends();
    for (std::size_t i = 0; i < from_.size() && !mine.varies(); ++i)
      receive_[i] = nodes_of(i).size() * mine.each();
    arrived_.resize(std::reduce(receive_.begin(), receive_.end()));
    neighbourhood_.exchange(packed_, send_, arrived_, receive_);
    sent_ += packed_.size();
    list(mine);
    return messages_;
  }
  std::uint64_t sent_bytes() const override { return sent_; }

 private:
  const std::vector<std::uint32_t>& nodes_of(std::size_t i) const {
    return setup_.peers.nodes[static_cast<std::size_t>(from_[i])];
  }
  const std::vector<std::uint32_t>& slots_of(std::size_t i) const {
    return setup_.peers.slots[static_cast<std::size_t>(to_[i])];
  }

  void pack(const Packets& mine) {
    packed_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const std::size_t start = packed_.size();
      for (const std::uint32_t slot : slots_of(i)) {
        const auto message = mine[slot];
        packed_.insert(packed_.end(), message.begin(), message.end());
        if (mine.varies()) ends_.push_back(packed_.size() - start);
      }
      send_[i] = packed_.size() - start;
    }
  }

  // Sets the number of bytes from each rank to the last end of its messages.
  void exchange_ends() {
    constexpr std::size_t each = sizeof(std::uint64_t);
    std::vector<std::size_t> send, receive;
    for (std::size_t i = 0; i < to_.size(); ++i) send.push_back(each * slots_of(i).size());
    for (std::size_t i = 0; i < from_.size(); ++i) receive.push_back(each * nodes_of(i).size());
    arrived_ends_.resize(std::reduce(receive.begin(), receive.end()) / each);
    neighbourhood_.exchange(std::as_bytes(std::span(ends_)), send,
                            std::as_writable_bytes(std::span(arrived_ends_)), receive);
    sent_ += sizeof(std::uint64_t) * ends_.size();
    for (std::size_t i = 0, last = 0; i < from_.size(); ++i) {
      last += nodes_of(i).size();
      receive_[i] = arrived_ends_[last - 1];
    }
  }

  void list(const Packets& mine) {
    const Placement& place = setup_.ranks.place();
    const auto first = static_cast<std::uint32_t>(place.first(place.rank));
    messages_.clear();
    std::size_t i = 0, start = 0, ends = 0;
    for (int rank = 0; rank < place.size; ++rank) {
      for (int slot = 0; rank == place.rank && slot < place.count(rank); ++slot)
        messages_.push_back(
            {first + static_cast<std::uint32_t>(slot), mine[static_cast<std::size_t>(slot)]});
      if (i == from_.size() || from_[i] != rank) continue;
      const std::size_t count = receive_[i];
      const auto bytes = std::span<const std::byte>(arrived_).subspan(start, count);
      const auto& nodes = nodes_of(i);
      const Packets all =
          mine.varies()
              ? Packets::varying(bytes, std::span(arrived_ends_).subspan(ends, nodes.size()))
              : Packets::equal(bytes, mine.each());
      for (std::size_t at = 0; at < nodes.size(); ++at) messages_.push_back({nodes[at], all[at]});
      start += count;
      ends += nodes.size();
      ++i;
    }
  }

  NodeExchangeSetup setup_;
  std::vector<int> from_, to_;  ///< ranks
  Neighbourhood neighbourhood_;
  std::vector<std::size_t> send_, receive_;  ///< bytes to and from each of them
  Bytes packed_, arrived_;
  std::vector<std::uint64_t> ends_, arrived_ends_;  ///< within the bytes of a rank
  std::vector<NodeMessage> messages_;
  std::uint64_t sent_ = 0;
};

}  // namespace

Row<NodeExchangeKind> collective_exchange() {
  return {"collective",
          "the messages of neighbours, by a neighbourhood collective of MPI",
          {.make = [](NodeExchangeSetup setup) -> std::unique_ptr<NodeExchange> {
             return std::make_unique<Collective>(std::move(setup));
           },
           .copies = [](std::uint64_t pairs, const Placement&) { return pairs; }}};
}

}  // namespace trilemma
