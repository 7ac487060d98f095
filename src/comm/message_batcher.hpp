#pragma once

#include <functional>

#include "base/types.hpp"

namespace trilemma {

/// Packs pieces of any size into few messages, so that 100,000 stateless clients do not cause
/// 100,000 messages.
class MessageBatcher {
 public:
  explicit MessageBatcher(std::function<void(Bytes&)> send) : send_(std::move(send)) {}
  explicit MessageBatcher(std::function<Bytes()> receive) : receive_(std::move(receive)) {}

  /// Adds a piece; sends a message once enough pieces are buffered.
  void put(const Bytes& piece);
  /// Sends the buffered pieces.
  void flush();
  /// Returns the next piece; receives a message if none is left.
  Bytes next();

 private:
  std::function<void(Bytes&)> send_;
  std::function<Bytes()> receive_;
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace trilemma
