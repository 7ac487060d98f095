#include "bench/machine_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trilemma {
namespace {

// Returns whether every rank may run on as many processors as requested.
bool have_cores(const std::vector<PlaceFacts>& ranks, std::int64_t cores_per_rank) {
  return std::ranges::all_of(ranks, [&](const PlaceFacts& one) {
    return static_cast<std::int64_t>(one.usable.count()) >= cores_per_rank;
  });
}

}  // namespace

std::vector<std::string> tuning_variables_of_ranks(const MachineRecord& record) {
  std::vector<std::string> found = tuning_variables(record.variables);
  for (std::size_t r = 0; r < record.ranks.size(); ++r)
    for (const auto& line : tuning_variables(record.ranks[r].other_variables))
      found.push_back(fmt::format("rank {}: {}", r, line));
  return found;
}

void add_machine(const MachineRecord& record, const std::optional<AskedPlacement>& asked,
                 BenchFacts& facts) {
  std::vector<std::string> hosts;
  facts.is_restarted = is_restarted(record.variables);
  for (const auto& rank : record.ranks) {
    hosts.push_back(rank.host);
    facts.ranks.push_back({rank.host, processors_in(rank.affinity)});
    facts.is_restarted = facts.is_restarted || is_restarted(rank.other_variables);
  }
  facts.is_placed_as_asked = !asked || (placement_problem(*asked, hosts).empty() &&
                                        have_cores(facts.ranks, asked->cores_per_rank));
  facts.tuning = tuning_variables_of_ranks(record);
}

}  // namespace trilemma
