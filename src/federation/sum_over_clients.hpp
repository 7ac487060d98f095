#pragma once

#include "comm/ranks.hpp"
#include "numeric/tree_sum.hpp"

namespace trilemma {

/// Writes the sum over all clients to `total` on rank 0, from the sums over the clients of every
/// rank, which it gathers in pieces. The sum runs along the tree of client numbers, so it does not
/// depend on the placement. Collective.
void sum_over_clients(const TreeSum& own, Ranks& ranks, std::span<double> total);

}  // namespace trilemma
