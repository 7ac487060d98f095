#pragma once

#include "experiment/part_families.hpp"
#include "run/partition_answer.hpp"
#include "run/verify.hpp"

namespace trilemma {

/// Returns the output of `trilemma list --json`: families in their order, each a list of {name,
/// summary}.
std::string to_json(const std::vector<PartFamily>& families);
/// Returns the output of `trilemma partition --json`: the fields of the group /partition of a run
/// file, and the hosts.
std::string to_json(const PartitionAnswer& answer);
/// Returns the output of `trilemma verify --json`: the verdict on `file` and its reasons, in full
/// precision.
std::string to_json(const std::string& file, const Verification& found);

}  // namespace trilemma
