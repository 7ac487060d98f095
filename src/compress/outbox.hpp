#pragma once

#include "base/packets.hpp"
#include "compress/compressor.hpp"

namespace trilemma {

/// Encoded messages waiting to be sent, in the order in which they were posted.
class Outbox {
 public:
  explicit Outbox(const Layout& layout) : layout_(layout) {}

  /// Removes all messages.
  void clear() { ends_.clear(); }
  /// Reserves room for `messages` messages if all have the same size; growing step by step would
  /// touch several times as much memory. Reserves a little more, since the number of participants
  /// may vary. Must be called before the first message is posted.
  void make_room(std::size_t messages);
  /// Encodes a message and appends it.
  void post(const Sealed& sealed);
  /// Appends the messages of `other`, already encoded.
  void append(const Outbox& other);
  /// Returns the messages posted since the last clear(); valid until the next call.
  Packets packets() const;
  /// Returns the same messages without the first `first` ones.
  Packets packets_from(std::size_t first);
  std::size_t count() const { return ends_.size(); }

 private:
  std::span<std::byte> next(std::size_t length);
  std::size_t size() const { return ends_.empty() ? 0 : static_cast<std::size_t>(ends_.back()); }

  Layout layout_;
  Bytes bytes_;                      ///< encoded messages; older content is overwritten
  std::vector<std::uint64_t> ends_;  ///< end of each message in `bytes_`
  std::vector<std::uint64_t> later_ends_;
};

}  // namespace trilemma
