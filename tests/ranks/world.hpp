#pragma once
// The ranks that a test runs on.

#include "comm/ranks.hpp"

namespace trilemma::testing {

/// Rank and number of ranks, without clients.
const Placement& world();
/// Returns the placement of this rank for `clients` clients.
Placement spread(int clients, bool server_hosts = false);
/// All clients on rank 0 alone, which has no use for the others.
Placement alone(int clients);
/// These ranks; the null state of a communicator where there is one.
Ranks ranks_of(const Placement& place);

}  // namespace trilemma::testing
