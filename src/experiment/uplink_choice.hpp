#pragma once

#include "exchange/automatic.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the uplink of `plan` for `ranks` ranks on `nodes` nodes, `hosts` of which host clients:
/// the one that it names, or the one that exchange.up = "auto" chooses.
UplinkChoice uplink_of(const Plan& plan, long ranks, long hosts, long nodes);

/// Returns whether ranks send sums of messages with this uplink, a row of uplinks().
bool sends_sums(const std::string& uplink);

/// Sets the uplink of a plan to the recorded one, unless that is empty. Returns whether there is an
/// uplink with the name that the plan then has.
bool take_recorded_uplink(Plan& plan, const std::string& recorded);

}  // namespace trilemma
