#pragma once

#include "comm/placement.hpp"
#include "exchange/automatic.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the uplink of `plan` for the ranks of `place` on `nodes` nodes: the one that it names,
/// or the one that exchange.up = "auto" chooses.
UplinkChoice uplink_of(const Plan& plan, const Placement& place, int nodes);

}  // namespace trilemma
