#pragma once

#include <array>
#include <cstdint>

namespace trilemma {

/// What bytes travel for.
enum class Use : std::uint8_t {
  up,          ///< update messages
  down,        ///< the model as delivered: one copy for every other rank, on any path
  evaluation,  ///< exact metrics
  control,     ///< agreement, recording and checkpoints; depends on time
};

/// Bytes handed to MPI that left a rank, since the start, by what they were for. Rank 0 counts for
/// all ranks; those of the others stay empty.
class Ledger {
 public:
  std::uint64_t of(Use use) const { return bytes_[static_cast<std::size_t>(use)]; }
  void book(Use use, std::uint64_t bytes) { bytes_[static_cast<std::size_t>(use)] += bytes; }
  /// Of the update messages those that a rank handed to one on another node.
  std::uint64_t up_between_nodes() const { return up_between_nodes_; }
  void book_up_between_nodes(std::uint64_t bytes) { up_between_nodes_ += bytes; }
  /// Adds what an earlier part of the job has booked.
  void add(const Ledger& earlier) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] += earlier.bytes_[i];
    up_between_nodes_ += earlier.up_between_nodes_;
  }

 private:
  std::array<std::uint64_t, 4> bytes_{};
  std::uint64_t up_between_nodes_ = 0;
};

/// Where one call books its bytes; no call that carries any can be made without.
struct LedgerEntry {
  Ledger& ledger;
  Use use;
  void book(std::uint64_t bytes) const { ledger.book(use, bytes); }
};

}  // namespace trilemma
