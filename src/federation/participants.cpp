#include "federation/participants.hpp"

#include <algorithm>

namespace trilemma {

void draw_participants(const Plan& plan, const Assembly& parts, Exchange& exchange,
                       std::uint32_t round, std::vector<std::uint32_t>& participants) {
  if (!plan.draws_secretly()) {
    plan.schedule->participants(round, participants);
    return;
  }
  Bytes bytes;
  if (parts.server != nullptr) {
    plan.schedule->participants(round, participants, parts.server_secret.get());
    const auto drawn = std::as_bytes(std::span(participants));
    bytes.assign(drawn.begin(), drawn.end());
  }
  exchange.broadcast_bytes(bytes);
  participants.resize(bytes.size() / sizeof(std::uint32_t));
  std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(participants)).begin());
}

}  // namespace trilemma
