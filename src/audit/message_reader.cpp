#include "audit/message_reader.hpp"

#include <algorithm>
#include <limits>

#include "federation/assembly.hpp"

namespace trilemma {

MessageReader::MessageReader(const Plan& plan)
    : oblivious_(plan.compressor->oblivious()),
      seed_(plan.seed),
      receiver_(*plan.compressor),
      memory_(make_client_memory(plan, static_cast<std::size_t>(plan.clients))),
      released_(plan.compressor->layout().dimension) {
  if (oblivious_ != nullptr) gain_ = oblivious_->gain();
}

std::span<const double> MessageReader::read(std::span<const std::byte> messages, std::size_t at,
                                            std::uint32_t client, std::uint32_t round) {
  const SparseView sent = receiver_.open(messages, at, mask(client, round));
  value_.clear();
  for (const real value : sent.value) value_.push_back(static_cast<double>(value) / gain_);
  memory_->add(client, sent.at, value_);
  memory_->absorb(client, sent);
  std::fill(released_.begin(), released_.end(), std::numeric_limits<double>::quiet_NaN());
  sent.at.each(released_.size(), [&](std::size_t i, std::size_t j) { released_[j] = value_[i]; });
  return released_;
}

bool MessageReader::sends(std::uint32_t client, std::uint32_t round, std::size_t j) {
  if (oblivious_ == nullptr) return true;
  const Support at = oblivious_->support(mask(client, round), support_);
  return at.is_all() || std::binary_search(support_.begin(), support_.end(), j);
}

}  // namespace trilemma
