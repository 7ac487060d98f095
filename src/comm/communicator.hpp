#pragma once
// MPI as the rest of the program sees it: few calls, on spans, checked, and counted.

#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "comm/ledger.hpp"

namespace trilemma {

/// How many pieces of `unit` bytes every rank hands in, and where they begin on rank 0.
struct Shares {
  std::size_t unit = 1;
  std::vector<int> count, start;

  /// So many pieces of each rank, one rank after the other.
  static Shares in_rank_order(std::size_t unit, std::vector<int> count);
  std::size_t total() const { return static_cast<std::size_t>(start.back() + count.back()); }
};

struct RankGroup;

/// Ranks that talk to each other; a value. Its null state is one process that needs no MPI: there,
/// every call leaves what it is given as it is, and nothing is counted.
///
/// All calls but send and receive are collective, and rank 0 is their root. It books what left any
/// rank: broadcasts as one copy for every other rank, gathers as what the others hand in, whatever
/// way MPI takes. Throws LibraryError, with MPI's own words, where MPI fails.
class Communicator {
 public:
  Communicator() = default;
  /// All ranks of the session.
  static Communicator world();

  /// Those of these ranks that give the same color, in their order. Collective; the null state for
  /// the null state.
  Communicator split(int color) const;
  /// The lowest of these ranks that runs on the same machine.
  int lowest_on_machine() const;

  bool is_null() const { return ranks_ == nullptr; }
  int rank() const;
  int size() const;

  void barrier() const;
  /// Bytes of rank 0 to all ranks, which have room for as many.
  void broadcast(std::span<std::byte> bytes, LedgerEntry entry) const;
  /// The same number of values from every rank, in rank order, to `all` on rank 0.
  void gather(std::span<const double> mine, std::span<double> all, LedgerEntry entry) const;
  /// The shares of the ranks to `all` on rank 0. Rank 0 knows all counts, the others their own.
  void gather(std::span<const std::byte> mine, const Shares& shares, std::span<std::byte> all,
              LedgerEntry entry) const;
  /// The smallest of the ranks' numbers, on all of them; counted as there and back.
  int smallest(int value, LedgerEntry entry) const;
  /// The largest of the ranks' numbers, none of them a NaN, on all of them; counted likewise.
  double largest(double value, LedgerEntry entry) const;
  /// Replaces each of `values` with the largest of all ranks at the same position.
  void largest(std::span<int> values, LedgerEntry entry) const;
  /// Replaces `bits`, on all ranks, with the bits that are set on any rank; counted as there and
  /// back.
  void unite(std::span<std::uint64_t> bits, LedgerEntry entry) const;
  /// The sums of the ranks' values, place by place, in any order, to rank 0, where they take the
  /// place of its own; counted as what the others hand in.
  void reduce(std::span<double> values, LedgerEntry entry) const;
  /// From or to one rank; booked where rank 0 takes part.
  void send(std::span<const std::byte> bytes, int to, LedgerEntry entry) const;
  void receive(std::span<std::byte> bytes, int from, LedgerEntry entry) const;

  /// What MPI knows them by (comm/rank_group.hpp); not of the null state.
  const RankGroup& group() const { return *ranks_; }

 private:
  std::uint64_t others() const { return static_cast<std::uint64_t>(size() - 1); }

  std::shared_ptr<const RankGroup> ranks_;
};

}  // namespace trilemma
