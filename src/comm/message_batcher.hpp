#pragma once

#include <functional>

#include "base/types.hpp"

namespace trilemma {

/// Pieces of any size, many in a message: 100,000 clients without state must not be 100,000
/// messages.
class MessageBatcher {
 public:
  explicit MessageBatcher(std::function<void(Bytes&)> send) : send_(std::move(send)) {}
  explicit MessageBatcher(std::function<Bytes()> receive) : receive_(std::move(receive)) {}

  /// Adds a piece; sends where enough have come together.
  void put(const Bytes& piece);
  /// Sends what is left.
  void flush();
  /// The next piece of the sender's; receives where none is left.
  Bytes next();

 private:
  std::function<void(Bytes&)> send_;
  std::function<Bytes()> receive_;
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace trilemma
