#include "compress/outbox.hpp"

namespace trilemma {

void Outbox::post(const Sealed& sealed) {
  const Message& message = sealed.message();
  const std::size_t begin = size();
  const std::size_t length = layout_.bytes(message.entries());
  if (bytes_.size() < begin + length) bytes_.resize(begin + length);
  encode(layout_, message, std::span(bytes_).subspan(begin, length));
  ends_.push_back(begin + length);
}

Packets Outbox::packets() const {
  const auto bytes = std::span<const std::byte>(bytes_).first(size());
  return layout_.varies ? Packets::varying(bytes, ends_) : Packets::equal(bytes, layout_.bytes());
}

}  // namespace trilemma
