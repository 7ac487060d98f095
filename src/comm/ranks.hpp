#pragma once
// What crosses between the ranks of a job: the model down, encoded messages up, and the small
// traffic of evaluation, recording and checkpoints.

#include <deque>
#include <functional>
#include <string>

#include "base/packets.hpp"
#include "comm/async_channel.hpp"
#include "comm/communicator.hpp"
#include "comm/placement.hpp"

namespace trilemma {

/// Ranks, the clients that they host, and the ledger of what they send each other. Every call is
/// collective over all ranks; in one process without MPI it hands over nothing.
class Ranks {
 public:
  explicit Ranks(const Placement& placement, Communicator communicator = {});

  /// Where the clients are from now on.
  void host(const Placement& placement);
  /// Which ranks share a node: so many in a row, or 0: those of a machine. Until it is called all
  /// do. Collective.
  void form_nodes(int ranks_per_node);

  /// The model of rank 0 to all ranks; `use` tells one that is only looked at from one that clients
  /// work at.
  void broadcast(View model, Use use);
  /// Every rank hands in the messages of those of its clients that are among `participants` (the
  /// same on every rank; those of a rank side by side, the ranks ascending), in their order.
  /// Returns on rank 0 all messages in this order, elsewhere nothing; valid until the next call.
  /// Sizes travel, 8 bytes each, where they vary.
  Packets gather_messages(const Packets& mine, Coordinates participants);
  /// The same piece by piece: hands messages of this rank's clients to MPI, which carries them
  /// while this rank goes on. Not collective; rank 0 has nothing to post.
  void post_messages(std::uint32_t round, const Packets& ready);
  /// Rank 0 gets all pieces that the others have posted for a round with these participants, as
  /// they arrive: `take` gets the number of the first message among the participants and the
  /// messages, which stay valid until the next call. The others wait until theirs have left.
  void receive_messages(std::uint32_t round, bool sizes_vary, std::size_t each,
                        Coordinates participants,
                        const std::function<void(std::size_t first, const Packets&)>& take);
  /// `each` numbers per client, in client order on rank 0, elsewhere nothing; valid until the next
  /// call.
  std::span<const double> gather_by_client(std::span<const double> mine, std::size_t each);
  /// Rows of `width` numbers, rows[r] of them from rank r, in rank order, likewise.
  std::span<const double> gather_rows(std::span<const double> mine, std::size_t width,
                                      const std::vector<int>& rows);
  /// The same number of values from every rank, in rank order, on rank 0.
  std::vector<double> gather_by_rank(std::span<const double> mine, Use use);
  /// Texts of all ranks, in rank order, on rank 0.
  std::vector<std::string> gather_text(const std::string& mine);
  /// A number of rank 0 to all ranks.
  int broadcast_number(int value, Use use);
  /// Bytes of rank 0 to all ranks; the others get their size too.
  void broadcast_bytes(Bytes& bytes, Use use = Use::control);
  /// One piece of any size a client to rank 0, one after the other in client order: `make` gives
  /// that of a slot where it is hosted, `take` receives that of a client on rank 0.
  void collect(const std::function<Bytes(std::size_t slot)>& make,
               const std::function<void(std::size_t client, const Bytes&)>& take);
  /// The way back: `give` says on rank 0 what a client gets, `take` receives it for a slot.
  void distribute(const std::function<Bytes(std::size_t client)>& give,
                  const std::function<void(std::size_t slot, const Bytes&)>& take);
  /// Sums the ranks' values at rank 0, in place.
  void reduce(std::span<double> values, Use use);
  /// Computes, in place and on all ranks, the largest of the ranks' numbers at each position, and
  /// the bits that are set on any rank.
  void largest(std::span<int> values, Use use);
  void unite(std::span<std::uint64_t> bits, Use use);
  /// The same sums, first within every node, then between the lowest ranks of the nodes.
  void reduce_by_node(std::span<double> values, Use use);
  /// The smallest of the ranks' numbers.
  int smallest(int value);
  void barrier() { communicator_.barrier(); }

  /// A letter to another rank, followed by a model or nothing; returns at once. Not collective.
  void send_letter(int to, std::span<const std::byte> letter, std::span<const std::byte> model);
  /// Receives the next letter that has arrived, with its model; returns its sender, -1 = none.
  int next_letter(Bytes& bytes);
  /// Waits until all letters have left.
  void finish_letters() { letters_.finish(); }

  const Placement& place() const { return place_; }
  const Ledger& ledger() const { return ledger_; }
  Ledger& ledger() { return ledger_; }

 private:
  LedgerEntry entry(Use use) { return {ledger_, use}; }
  std::size_t slots(int rank) const { return static_cast<std::size_t>(place_.count(rank)); }
  void book_between_nodes(Use use, std::uint64_t bytes);
  std::uint64_t ranks_elsewhere() const;
  void send(const Bytes& bytes, int to);
  Bytes receive(int from);
  void count_by_rank(Coordinates participants);
  const Shares& in_bytes(const Shares& shares);
  Packets gather_varying(const Packets& mine, std::size_t participants);
  /// Room on rank 0 for what arrives there; elsewhere none.
  std::span<std::byte> room(Bytes& all, const Shares& shares) const;

  void receive_piece(int from, std::uint32_t round, std::size_t bytes, bool sizes_vary);
  struct Piece {
    Bytes bytes;
    std::vector<std::uint64_t> ends;
  };

  Communicator communicator_;
  Placement place_;
  Ledger ledger_;
  std::vector<int> node_;               ///< lowest rank of the node of each rank
  Communicator within_node_, leaders_;  ///< of this rank; the latter of the lowest ranks of all
  Shares everyone_, present_;           ///< clients of every rank, and those that take part
  Bytes messages_, numbers_;            ///< on rank 0, what arrived last
  Shares bytes_;                        ///< of messages, in bytes
  std::vector<std::uint64_t> ends_;
  AsyncChannel updates_, letters_;  ///< two: finish() of one must not wait for the other's sends
  std::deque<Piece> pieces_;        ///< that arrived in the round, and room for more
  std::size_t arrived_ = 0;         ///< of them
  std::vector<std::size_t> taken_;  ///< messages of every rank that have arrived
};

}  // namespace trilemma
