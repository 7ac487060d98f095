#include "comm/message_batcher.hpp"

#include <cstring>

namespace trilemma {
namespace {

// Size in bytes at which a message is sent.
constexpr std::size_t enough = std::size_t{1} << 23U;

}  // namespace

void MessageBatcher::put(const Bytes& piece) {
  const std::uint64_t size = piece.size();
  const auto* from = reinterpret_cast<const std::byte*>(&size);
  bytes_.insert(bytes_.end(), from, from + sizeof size);
  bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  if (bytes_.size() >= enough) flush();
}

void MessageBatcher::flush() {
  if (!bytes_.empty()) send_(bytes_);
  bytes_.clear();
}

Bytes MessageBatcher::next() {
  if (at_ == bytes_.size()) {
    bytes_ = receive_();
    at_ = 0;
  }
  std::uint64_t size = 0;
  std::memcpy(&size, bytes_.data() + at_, sizeof size);
  const auto* from = bytes_.data() + at_ + sizeof size;
  at_ += sizeof size + size;
  return {from, from + size};
}

}  // namespace trilemma
