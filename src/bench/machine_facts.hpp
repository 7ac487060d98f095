#pragma once
// What the judgement of a benchmark takes from the machine on record.

#include <optional>
#include <string>
#include <vector>

#include "bench/judge.hpp"
#include "comm/node_map.hpp"
#include "machine/facts.hpp"

namespace trilemma {

/// Adds the places, the variables and the placement of all ranks to `facts`. `asked` is the
/// placement that the job script requests, if it requests one.
void add_machine(const MachineRecord& record, const std::optional<AskedPlacement>& asked,
                 BenchFacts& facts);

/// Returns the variables of every rank that tune an MPI library: lines NAME=VALUE of rank 0, and
/// "rank 3: NAME=VALUE" of ranks whose variable differs.
std::vector<std::string> tuning_variables_of_ranks(const MachineRecord& record);

}  // namespace trilemma
