#pragma once

#include <initializer_list>
#include <memory>
#include <optional>

#include "comm/communicator.hpp"

namespace trilemma {

/// Point-to-point messages that are sent without waiting. Messages of one tag from one sender
/// arrive in the order in which they were sent. Bytes are counted if rank 0 sends or receives.
/// Throws LibraryError with MPI's error text if MPI fails.
class AsyncChannel {
 public:
  static constexpr int any_rank = -1;

  /// Bytes of a message, and their purpose.
  struct Part {
    std::span<const std::byte> bytes;
    Use use;
  };
  /// Sender and size of a message that has arrived and has not been received.
  struct Envelope {
    int from;
    std::size_t bytes;
  };

  explicit AsyncChannel(Communicator ranks);
  ~AsyncChannel();
  AsyncChannel(const AsyncChannel&) = delete;
  AsyncChannel& operator=(const AsyncChannel&) = delete;

  /// Sends a copy of the parts as one message, and lets MPI progress earlier sends.
  void send(int to, int tag, std::initializer_list<Part> parts, Ledger& ledger);
  /// Waits until all sends of this rank are complete.
  void finish();

  /// Waits for the next message with this tag, from one rank or from any.
  Envelope wait(int tag, int from = any_rank);
  /// Returns the next message with this tag that has already arrived, from any rank; nullopt if
  /// there is none.
  std::optional<Envelope> poll(int tag);
  /// Waits for the next message with this tag from a rank, and receives it. Unlike wait(), it needs
  /// no matched probe, which simulated ranks do not have.
  void receive_next(int tag, int from, Bytes& bytes);
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
