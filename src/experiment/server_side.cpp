#include "experiment/server_side.hpp"

#include <algorithm>

namespace trilemma {

ServerSide::ServerSide(Compressor& compressor, ServerMemory& memory, ServerStep& step,
                       std::size_t clients, std::size_t dimension, std::uint64_t seed)
    : compressor_(compressor),
      memory_(memory),
      step_(step),
      clients_(clients),
      seed_(seed),
      layout_(compressor.layout()),
      mean_(dimension) {}

void ServerSide::run(std::uint32_t round, std::span<const std::byte> bytes, View x,
                     PhaseTimer& timer) {
  std::fill(mean_.begin(), mean_.end(), 0.0);
  const std::size_t size = layout_.bytes();
  for (std::size_t client = 0; client < clients_; ++client) {
    decode(layout_, bytes.subspan(client * size, size), message_);
    compressor_.recall({seed_, Purpose::mask, static_cast<std::uint32_t>(client), round}, message_);
    const SparseView sent = compressor_.expand(message_);
    if (sent.index.empty())
      for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += static_cast<double>(sent.value[j]);
    else
      for (std::size_t i = 0; i < sent.index.size(); ++i)
        mean_[sent.index[i]] += static_cast<double>(sent.value[i]);
  }
  const double share = 1.0 / static_cast<double>(clients_);
  for (auto& value : mean_) value *= share;
  timer.lap(Phase::decode);
  memory_.restore(mean_);
  step_.apply(x, mean_);
  timer.lap(Phase::server);
}

}  // namespace trilemma
