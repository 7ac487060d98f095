#pragma once

#include <deque>
#include <memory>

#include "comm/communicator.hpp"

namespace trilemma {

/// Messages that travel to rank 0 while their senders go on, which may be rounds ahead of rank 0:
/// what belongs to another round is not seen. Throws LibraryError, with MPI's own
/// words, where MPI fails.
class Mail {
 public:
  explicit Mail(Communicator ranks);
  ~Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  /// Sends a copy of the bytes; lets MPI go on with what was sent before.
  void send(std::uint32_t round, std::span<const std::byte> bytes);
  /// Waits until all that was sent has left.
  void finish();

  /// Rank 0: waits for a message of any other rank.
  struct Envelope {
    int from;
    std::size_t bytes;
  };
  Envelope next(std::uint32_t round);
  /// Rank 0: the same of one rank.
  Envelope next_from(int rank, std::uint32_t round);
  /// Rank 0: takes in the message that was waited for last; booked there.
  void receive(std::span<std::byte> bytes, LedgerEntry entry);

 private:
  struct Sending;
  struct Arrival;

  Communicator ranks_;
  std::deque<Sending> sendings_;  ///< on their way, and room that has become free
  std::unique_ptr<Arrival> arrival_;
};

}  // namespace trilemma
