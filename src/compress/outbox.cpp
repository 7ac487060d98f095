#include "compress/outbox.hpp"

#include <algorithm>

namespace trilemma {

void Outbox::make_room(std::size_t messages) {
  expect(ends_.empty(), "room is made before messages are posted");
  if (!layout_.is_equal()) return;
  const std::size_t length = messages * layout_.bytes();
  if (bytes_.capacity() >= length) return;
  bytes_.clear();
  bytes_.reserve(length + length / 8);
}

// Returns `length` bytes of room after the last message.
std::span<std::byte> Outbox::next(std::size_t length) {
  const std::size_t begin = size();
  if (bytes_.size() < begin + length) bytes_.resize(begin + length);
  ends_.push_back(begin + length);
  return std::span(bytes_).subspan(begin, length);
}

void Outbox::post(const Sealed& sealed) {
  const Message& message = sealed.message();
  const Measure measured = measure(layout_, message);
  encode(layout_, message, measured, next(measured.bytes()));
}

void Outbox::append(const Outbox& other) {
  const Packets packets = other.packets();
  for (std::size_t i = 0; i < other.ends_.size(); ++i)
    std::copy(packets[i].begin(), packets[i].end(), next(packets[i].size()).begin());
}

Packets Outbox::packets() const {
  const auto bytes = std::span<const std::byte>(bytes_).first(size());
  return layout_.is_equal() ? Packets::equal(bytes, layout_.bytes())
                            : Packets::varying(bytes, ends_);
}

Packets Outbox::packets_from(std::size_t first) {
  const auto begin = static_cast<std::size_t>(first == 0 ? 0 : ends_[first - 1]);
  const auto bytes = std::span<const std::byte>(bytes_).first(size()).subspan(begin);
  if (layout_.is_equal()) return Packets::equal(bytes, layout_.bytes());
  later_ends_.assign(ends_.begin() + static_cast<std::ptrdiff_t>(first), ends_.end());
  for (auto& end : later_ends_) end -= begin;
  return Packets::varying(bytes, later_ends_);
}

}  // namespace trilemma
