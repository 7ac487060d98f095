#include "audit/message_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "experiment/claim.hpp"
#include "federation/assembly.hpp"

namespace trilemma {

MessageReader::MessageReader(const Plan& plan, std::size_t records)
    : compressor_(make_compressor(plan, noise_sigma(plan, records))),
      oblivious_(compressor_->oblivious()),
      seed_(plan.seed),
      receiver_(*compressor_),
      memory_(plan.memory->client(static_cast<std::size_t>(plan.clients), plan.shape().up,
                                  plan.step_of_memory())),
      released_(plan.shape().up) {
  expect(!plan.memory->traits.needs_whole_vectors,
         "a reader of messages does not know coordinates that were never sent");
  if (oblivious_ != nullptr) gain_ = oblivious_->gain();
}

std::span<const double> MessageReader::read(const Packets& messages, std::size_t at,
                                            std::uint32_t client, std::uint32_t round) {
  const SparseView sent = receiver_.open(messages[at], mask(client, round));
  value_.clear();
  for (const real value : sent.value) value_.push_back(static_cast<double>(value) / gain_);
  memory_->undo(client, sent.at, value_);
  memory_->after_sending(client, sent);
  std::fill(released_.begin(), released_.end(), std::numeric_limits<double>::quiet_NaN());
  sent.at.each(released_.size(), [&](std::size_t i, std::size_t j) { released_[j] = value_[i]; });
  return released_;
}

bool MessageReader::sends(std::uint32_t client, std::uint32_t round, std::size_t j) {
  const Support at = support(client, round);
  return at.is_all() || std::binary_search(support_.begin(), support_.end(), j);
}

Support MessageReader::support(std::uint32_t client, std::uint32_t round) {
  return oblivious_ == nullptr ? Support::all()
                               : oblivious_->support(mask(client, round), support_);
}

}  // namespace trilemma
