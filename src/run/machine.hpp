#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/ranks.hpp"
#include "machine/facts.hpp"

namespace trilemma {

/// Returns on rank 0 the machine of the job, except its MPI variables; an empty record on other
/// ranks. `hosts` are the hosts of the ranks, on rank 0. Collective.
MachineRecord gather_machine(Ranks& ranks, const std::vector<std::string>& hosts);

}  // namespace trilemma
