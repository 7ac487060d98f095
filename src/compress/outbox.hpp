#pragma once

#include "base/packets.hpp"
#include "compress/compressor.hpp"

namespace trilemma {

/// Encoded messages on their way out, in the order in which they were posted.
class Outbox {
 public:
  explicit Outbox(const Layout& layout) : layout_(layout) {}

  void clear() { ends_.clear(); }
  /// Before the first is posted: makes room for so many messages, where all have one size, since
  /// growing step by step would touch several times as much memory. A little more, for draws of
  /// participants that vary.
  void make_room(std::size_t messages);
  /// Encodes a message behind those before it.
  void post(const Sealed& sealed);
  /// Puts what was posted elsewhere behind it, as it is.
  void append(const Outbox& other);
  /// What was posted since the last clear(); valid until the next call.
  Packets packets() const;
  /// The same without the first messages.
  Packets packets_from(std::size_t first);
  std::size_t count() const { return ends_.size(); }

 private:
  std::span<std::byte> next(std::size_t length);
  std::size_t size() const { return ends_.empty() ? 0 : static_cast<std::size_t>(ends_.back()); }

  Layout layout_;
  Bytes bytes_;                      ///< of the messages; what was posted before is overwritten
  std::vector<std::uint64_t> ends_;  ///< of each, in these
  std::vector<std::uint64_t> later_ends_;
};

}  // namespace trilemma
