#include "experiment/client_side.hpp"

#include <algorithm>

namespace trilemma {
namespace {

// Clients are taken through the stages in blocks: long enough that the clock is read rarely, small
// enough that their vectors stay in the cache.
std::size_t block_size(std::size_t slots, std::size_t dimension) {
  constexpr std::size_t block_values = std::size_t{1} << 18U;
  return std::min(
      slots, std::clamp<std::size_t>(block_values / std::max<std::size_t>(1, dimension), 1, 64));
}

}  // namespace

ClientSide::ClientSide(ClientParts parts, std::size_t slots, std::size_t dimension,
                       std::uint32_t first_client, std::uint64_t seed, bool staged)
    : parts_(std::move(parts)),
      fused_(staged ? nullptr : parts_.compressor->oblivious()),
      slots_(slots),
      block_(block_size(slots, dimension)),
      first_client_(first_client),
      seed_(seed),
      layout_(parts_.compressor->layout()),
      message_bytes_(layout_.bytes()),
      update_(block_, Vector(dimension)),
      message_(block_),
      bytes_(slots * message_bytes_) {}

std::span<const std::byte> ClientSide::run(std::uint32_t round, ConstView x, PhaseTimer& timer) {
  records_ = 0;
  for (std::size_t first = 0; first < slots_; first += block_)
    run_block(first, std::min(block_, slots_ - first), round, x, timer);
  return bytes_;
}

// Privacy rests on the noise and on the choice of the minibatch; the server draws the masks too.
Key ClientSide::key(Purpose purpose, std::size_t slot, std::uint32_t round) const {
  const bool hidden = purpose == Purpose::noise || purpose == Purpose::minibatch;
  return {seed_, purpose, first_client_ + static_cast<std::uint32_t>(slot), round,
          hidden ? parts_.secret : nullptr};
}

void ClientSide::run_block(std::size_t first, std::size_t count, std::uint32_t round, ConstView x,
                           PhaseTimer& timer) {
  for (std::size_t i = 0; i < count; ++i)
    records_ += parts_.estimator->estimate(first + i, x, key(Purpose::minibatch, first + i, round),
                                           update_[i]);
  timer.lap(Phase::local);

  bounded_.clear();
  for (std::size_t i = 0; i < count; ++i)
    bounded_.push_back(parts_.bound->apply(update_[i], parts_.sensitivity[first + i]));
  timer.lap(Phase::bound);

  // An oblivious compressor names its coordinates first; the stages after it work there only.
  if (fused_ != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      fused_->support(key(Purpose::mask, first + i, round), message_[i].index);
  timer.lap(Phase::compress);

  // A whole released vector may take the place of the update: nobody reads that again.
  released_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Key noise = key(Purpose::noise, first + i, round);
    released_.push_back(
        fused_ != nullptr
            ? parts_.mechanism->release(bounded_[i], message_[i].index, noise, message_[i].value)
            : parts_.mechanism->release(bounded_[i], {}, noise, update_[i]));
  }
  timer.lap(Phase::perturb);

  for (std::size_t i = 0; i < count; ++i) {
    parts_.memory->subtract(first + i, released_[i]);
    if (fused_ != nullptr)
      fused_->finish(message_[i]);
    else
      parts_.compressor->compress(released_[i].values(), key(Purpose::mask, first + i, round),
                                  message_[i]);
    parts_.memory->absorb(first + i, parts_.compressor->expand(message_[i]));
  }
  timer.lap(Phase::compress);

  for (std::size_t i = 0; i < count; ++i)
    encode(layout_, message_[i],
           std::span(bytes_).subspan((first + i) * message_bytes_, message_bytes_));
  timer.lap(Phase::encode);
}

void ClientSide::finish_round(std::uint32_t round, ConstView x) {
  parts_.estimator->finish_round(x, {seed_, Purpose::coin, 0, round});
}

}  // namespace trilemma
