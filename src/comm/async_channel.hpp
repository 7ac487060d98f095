#pragma once

#include <initializer_list>
#include <memory>
#include <optional>

#include "comm/communicator.hpp"

namespace trilemma {

/// Point-to-point messages that travel while their senders go on. Messages of one tag from one
/// sender arrive in the order in which they were sent. Bytes are booked where rank 0 sends or
/// receives. Throws LibraryError with MPI's own words where MPI fails.
class AsyncChannel {
 public:
  static constexpr int any_rank = -1;

  /// Bytes of a message, and what they are for.
  struct Part {
    std::span<const std::byte> bytes;
    Use use;
  };
  /// A message that has arrived and not yet been received.
  struct Envelope {
    int from;
    std::size_t bytes;
  };

  explicit AsyncChannel(Communicator ranks);
  ~AsyncChannel();
  AsyncChannel(const AsyncChannel&) = delete;
  AsyncChannel& operator=(const AsyncChannel&) = delete;

  /// Sends a copy of the parts as one message, and lets MPI continue with earlier ones.
  void send(int to, int tag, std::initializer_list<Part> parts, Ledger& ledger);
  /// Waits until all messages of this rank have left.
  void finish();

  /// Waits for the next message with this tag, of one rank or of any.
  Envelope wait(int tag, int from = any_rank);
  /// The next message with this tag that has already arrived, of any rank; nullopt without one.
  std::optional<Envelope> poll(int tag);
  /// Receives the message that wait() or poll() returned last.
  void receive(std::span<std::byte> bytes, LedgerEntry entry);

 private:
  class SendPool;
  struct Arrival;

  Communicator ranks_;
  std::unique_ptr<SendPool> sends_;
  std::unique_ptr<Arrival> arrival_;
};

}  // namespace trilemma
