#pragma once
// MPI as the rest of the program uses it: a few calls on spans, with checked errors and counted
// bytes.

#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "comm/ledger.hpp"

namespace trilemma {

/// The number of pieces of `unit` bytes that every rank contributes, and their start on rank 0.
struct Shares {
  std::size_t unit = 1;
  std::vector<int> count, start;

  /// Returns shares that follow each other in rank order; count[r] pieces belong to rank r.
  static Shares in_rank_order(std::size_t unit, std::vector<int> count);
  /// Returns the number of pieces of all ranks.
  std::size_t total() const { return static_cast<std::size_t>(start.back() + count.back()); }
};

struct RankGroup;

/// A group of communicating ranks, with value semantics. The null state stands for a single process
/// that needs no MPI: every call then leaves its arguments unchanged and counts nothing.
///
/// All calls except send and receive are collective, and rank 0 is their root. Rank 0 counts the
/// bytes that left any rank: for broadcasts one copy per other rank, for gathers the contributions
/// of the other ranks, whatever path MPI takes. Throws LibraryError with MPI's error text if MPI
/// fails.
class Communicator {
 public:
  Communicator() = default;
  /// Returns the communicator of all ranks of the session.
  static Communicator world();

  /// Returns the communicator of those ranks that pass the same color, in their order; null for the
  /// null state. Collective.
  Communicator split(int color) const;
  /// Returns the lowest of these ranks that runs on the same machine.
  int lowest_on_machine() const;

  bool is_null() const { return ranks_ == nullptr; }
  int rank() const;
  int size() const;

  /// Waits until all ranks have called it.
  void barrier() const;
  /// Copies the bytes of rank 0 to all ranks, which must pass spans of the same length.
  void broadcast(std::span<std::byte> bytes, LedgerEntry entry) const;
  /// Gathers the same number of values from every rank into `all` on rank 0, in rank order.
  void gather(std::span<const double> mine, std::span<double> all, LedgerEntry entry) const;
  /// Gathers the shares of the ranks into `all` on rank 0. Rank 0 knows all counts, each other rank
  /// its own.
  void gather(std::span<const std::byte> mine, const Shares& shares, std::span<std::byte> all,
              LedgerEntry entry) const;
  /// Returns the smallest value of all ranks on every rank; counted in both directions.
  int smallest(int value, LedgerEntry entry) const;
  /// Returns the largest value of all ranks on every rank; NaN is not allowed. Counted in both
  /// directions.
  double largest(double value, LedgerEntry entry) const;
  /// Replaces each of `values` by the largest value of all ranks at the same position.
  void largest(std::span<int> values, LedgerEntry entry) const;
  /// Replaces `bits` on all ranks by the union of the bits of all ranks; counted in both
  /// directions.
  void unite(std::span<std::uint64_t> bits, LedgerEntry entry) const;
  /// Replaces `values` on rank 0 by the element-wise sums over all ranks, added in any order; the
  /// contributions of the other ranks are counted.
  void reduce(std::span<double> values, LedgerEntry entry) const;
  /// Sends bytes to rank `to`, or receives bytes from rank `from`; counted if rank 0 takes part.
  void send(std::span<const std::byte> bytes, int to, LedgerEntry entry) const;
  void receive(std::span<std::byte> bytes, int from, LedgerEntry entry) const;

  /// Returns the MPI handle (comm/mpi_check.hpp). Requires a state that is not null.
  const RankGroup& group() const { return *ranks_; }

 private:
  std::uint64_t others() const { return static_cast<std::uint64_t>(size() - 1); }

  std::shared_ptr<const RankGroup> ranks_;
};

}  // namespace trilemma
