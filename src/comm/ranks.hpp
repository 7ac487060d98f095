#pragma once
// Communication between the ranks of a job: the model to the clients, encoded messages to rank 0,
// and the small traffic of evaluation, recording and checkpoints.

#include <deque>
#include <functional>
#include <string>

#include "base/packets.hpp"
#include "comm/async_channel.hpp"
#include "comm/communicator.hpp"
#include "comm/neighbourhood.hpp"
#include "comm/placement.hpp"

namespace trilemma {

/// The ranks of a job, the clients that they host, and the ledger of their traffic. Every call is
/// collective over all ranks unless it says otherwise; in a single process without MPI, nothing is
/// sent.
class Ranks {
 public:
  explicit Ranks(const Placement& placement, Communicator communicator = {});

  /// Sets the placement of the clients from now on.
  void host(const Placement& placement);
  /// Declares which ranks share a node: each block of `ranks_per_node` consecutive ranks; with 0,
  /// all ranks of a machine. Before this call all ranks count as one node. Collective.
  void form_nodes(int ranks_per_node);
  /// Returns the number of nodes; not collective.
  int nodes() const { return nodes_; }

  /// Copies the model of rank 0 to all ranks. `use` distinguishes a model for evaluation from one
  /// that clients train on.
  void broadcast(View model, Use use);
  /// Copies the model of rank `from` to all ranks, through rank 0.
  void broadcast_from(int from, View model, Use use);
  /// Gathers client messages on rank 0. `participants` is the same on every rank and lists the
  /// clients of a rank consecutively, ranks ascending; `mine` holds the messages of this rank's
  /// participants in that order. Returns all messages in that order on rank 0, nothing on other
  /// ranks; valid until the next call. If sizes vary, they are sent too, 8 bytes each.
  Packets gather_messages(const Packets& mine, Coordinates participants);
  /// Returns the messages of all clients, in client order, on every rank: rank 0 gathers and
  /// broadcasts them. `mine` holds those of this rank's clients. Adds to `sent` the bytes that this
  /// rank handed to MPI, of a broadcast one copy for each other rank; the ledger does not count
  /// them. Valid until the next call. If sizes vary, they are sent too, 8 bytes each.
  Packets relay_messages(const Packets& mine, std::uint64_t& sent);
  /// Hands messages of this rank's clients to MPI and returns without waiting, for rounds that send
  /// piece by piece. Not collective; not called on rank 0.
  void post_messages(std::uint32_t round, const Packets& ready);
  /// Receives on rank 0, as they arrive, all pieces that the other ranks have posted for `round`
  /// with these participants. `take` gets the position of the first message among the participants,
  /// and the messages, which stay valid until the next call of receive_messages. Other ranks wait
  /// until their sends are complete. `each` is the size in bytes of a message unless `sizes_vary`.
  void receive_messages(std::uint32_t round, bool sizes_vary, std::size_t each,
                        Coordinates participants,
                        const std::function<void(std::size_t first, const Packets&)>& take);
  /// Returns `each` numbers per client on rank 0, in client order, nothing on other ranks; valid
  /// until the next call.
  std::span<const double> gather_by_client(std::span<const double> mine, std::size_t each);
  /// Returns rows of `width` numbers on rank 0, rows[r] of them from rank r, in rank order; nothing
  /// on other ranks; valid until the next call.
  std::span<const double> gather_rows(std::span<const double> mine, std::size_t width,
                                      const std::vector<int>& rows);
  /// Returns on rank 0 the values of all ranks, the same number from each, in rank order.
  std::vector<double> gather_by_rank(std::span<const double> mine, Use use);
  /// Returns on rank 0 the texts of all ranks, in rank order.
  std::vector<std::string> gather_text(const std::string& mine);
  /// Returns the number of rank 0 on all ranks.
  int broadcast_number(int value, Use use);
  /// Replaces `bytes` on all ranks by the bytes of rank 0, including their number.
  void broadcast_bytes(Bytes& bytes, Use use = Use::control);
  /// Moves one piece of any size per client to rank 0, in client order: `make` returns the piece of
  /// a slot on its host, `take` receives the piece of a client on rank 0.
  void collect(const std::function<Bytes(std::size_t slot)>& make,
               const std::function<void(std::size_t client, const Bytes&)>& take);
  /// Moves one piece per client from rank 0 to its host: `give` returns the piece of a client on
  /// rank 0, `take` receives it for a slot.
  void distribute(const std::function<Bytes(std::size_t client)>& give,
                  const std::function<void(std::size_t slot, const Bytes&)>& take);
  /// Replaces `values` on rank 0 by the sums over all ranks.
  void reduce(std::span<double> values, Use use);
  /// Replaces `values` on all ranks by the largest value of any rank at each position.
  void largest(std::span<int> values, Use use);
  /// Replaces `bits` on all ranks by the union of the bits of all ranks.
  void unite(std::span<std::uint64_t> bits, Use use);
  /// Computes the same sums as reduce(): first within every node, then between the lowest ranks of
  /// the nodes.
  void reduce_by_node(std::span<double> values, Use use);
  /// Returns the smallest value of all ranks.
  int smallest(int value);
  /// Waits until all ranks have called it.
  void barrier() { communicator_.barrier(); }

  /// Sends a letter, optionally followed by a model, to another rank without waiting. Not
  /// collective.
  void send_letter(int to, std::span<const std::byte> letter, std::span<const std::byte> model);
  /// Receives the next letter that has arrived, with its model; returns its sender, or -1.
  int next_letter(Bytes& bytes);
  /// Waits until all sends of letters are complete.
  void finish_letters() { letters_.finish(); }

  /// Sends one message, made of both parts, to another rank without waiting; receive_from_peer()
  /// of that rank with the same `step` receives it. The ledger does not count it. Not collective.
  void send_to_peer(int to, std::uint32_t step, std::span<const std::byte> first,
                    std::span<const std::byte> second);
  /// Replaces `bytes` by the message of another rank. Not collective.
  void receive_from_peer(int from, std::uint32_t step, Bytes& bytes);
  /// Waits until all sends to peers are complete.
  void finish_peers() {
    if (!communicator_.is_null()) updates_.finish();
  }

  /// Returns the neighbourhood in which this rank receives from the ranks `from` and sends to the
  /// ranks `to`, both ascending. Collective; the ledger does not count its exchanges.
  Neighbourhood neighbourhood(const std::vector<int>& from, const std::vector<int>& to) const {
    return {communicator_, from, to};
  }

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
  /// Returns the buffer for gathered bytes: `all` resized on rank 0, empty on other ranks.
  std::span<std::byte> room(Bytes& all, const Shares& shares) const;

  void receive_piece(int from, std::uint32_t round, std::size_t bytes, bool sizes_vary);
  struct Piece {
    Bytes bytes;
    std::vector<std::uint64_t> ends;
  };

  Communicator communicator_;
  Placement place_;
  Ledger ledger_;
  std::vector<int> node_;  ///< lowest rank of the node of each rank
  int nodes_ = 1;
  Communicator within_node_, leaders_;  ///< `leaders_` holds the lowest rank of every node
  Shares everyone_, present_;           ///< clients of every rank, and participants of every rank
  Bytes messages_, numbers_;            ///< rank 0: the last messages and numbers gathered
  Shares bytes_;                        ///< shares of the messages, in bytes
  std::vector<std::uint64_t> ends_;
  AsyncChannel updates_, letters_;  ///< two: finish() of one must not wait for the other's sends
  std::deque<Piece> pieces_;        ///< pieces that arrived in the round, and room for more
  std::size_t arrived_ = 0;         ///< number of pieces that have arrived
  std::vector<std::size_t> taken_;  ///< number of messages of every rank that have arrived
};

}  // namespace trilemma
