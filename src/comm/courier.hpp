#pragma once

#include <deque>
#include <memory>

#include "comm/communicator.hpp"

namespace trilemma {

/// Letters between rank 0 and the others while nobody waits for anybody: each is sent at once and
/// read when its receiver next looks. Those of one sender arrive in their order. Throws
/// LibraryError, with MPI's own words, where MPI fails.
class Courier {
 public:
  explicit Courier(Communicator ranks);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  /// Sends a copy of the letter and, behind it, of a model; lets MPI go on with what was sent
  /// before. Booked where rank 0 sends: the letter as control.
  void send(int to, std::span<const std::byte> letter, std::span<const std::byte> model,
            Ledger& ledger);
  /// Takes the next letter of any other rank with what is behind it, if one has arrived; returns
  /// its sender, else -1. Booked where rank 0 receives.
  int receive(Bytes& bytes, Ledger& ledger);
  /// Waits until all that was sent has left.
  void finish();

 private:
  struct Sending;

  Communicator ranks_;
  std::deque<Sending> sendings_;  ///< on their way, and room that has become free
};

}  // namespace trilemma
