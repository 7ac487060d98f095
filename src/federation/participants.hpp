#pragma once

#include "comm/exchange.hpp"
#include "federation/assembly.hpp"

namespace trilemma {

/// Writes the clients that take part in a round: from the seed by every rank; or, where privacy
/// rests on who was drawn, from rank 0's secret. Collective.
void draw_participants(const Plan& plan, const Assembly& parts, Exchange& exchange,
                       std::uint32_t round, std::vector<std::uint32_t>& participants);

}  // namespace trilemma
