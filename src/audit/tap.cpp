#include "audit/tap.hpp"

#include <algorithm>
#include <limits>

namespace trilemma {

MessageReader::MessageReader(const Plan& plan)
    : compressor_(*plan.compressor), layout_(plan.compressor->layout()) {
  if (auto* oblivious = compressor_.oblivious()) gain_ = oblivious->gain();
  if (plan.method.shift)
    shift_step_ = plan.shift_step.value_or(theory_shift_step(compressor_.traits().omega));
}

void MessageReader::begin(const Plan& plan) {
  seed_ = plan.seed;
  shift_.assign(static_cast<std::size_t>(plan.clients), Vector(layout_.dimension, real{0}));
  released_.resize(layout_.dimension);
}

std::span<const double> MessageReader::read(std::span<const std::byte> bytes, std::uint32_t client,
                                            std::uint32_t round) {
  decode(layout_, bytes, message_);
  compressor_.recall({seed_, Purpose::mask, client, round}, message_);
  const SparseView sent = compressor_.expand(message_);
  std::fill(released_.begin(), released_.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < sent.value.size(); ++i) {
    const std::size_t j = sent.index.empty() ? i : sent.index[i];
    real& shift = shift_[client][j];
    released_[j] = static_cast<double>(sent.value[i]) / gain_ + static_cast<double>(shift);
    shift += static_cast<real>(shift_step_) * sent.value[i];
  }
  return released_;
}

bool MessageReader::sends(std::uint32_t client, std::uint32_t round, std::size_t j) {
  auto* oblivious = compressor_.oblivious();
  if (oblivious == nullptr) return true;
  oblivious->support({seed_, Purpose::mask, client, round}, support_);
  return support_.empty() || std::binary_search(support_.begin(), support_.end(), j);
}

}  // namespace trilemma
