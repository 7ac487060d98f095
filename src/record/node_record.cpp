#include "record/node_record.hpp"

namespace trilemma {

void write_asked_placement(const h5::Group& environment, const NodeRecord& record) {
  if (!record.asked) return;
  const NodeRecord::Asked& asked = *record.asked;
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"nodes_asked", asked.nodes},
      {"ranks_per_node_asked", asked.ranks_per_node},
      {"cores_per_rank_asked", asked.cores_per_rank},
      {"threads_per_core_asked", asked.threads_per_core}};
  for (const auto& [name, number] : numbers) environment.set_attribute(name, number);
  if (asked.nodes > 0)
    environment.set_attribute<std::uint8_t>("placement_as_asked", asked.is_met ? 1 : 0);
}

void write_simulation(const h5::Group& environment, const NodeRecord& record) {
  if (!record.simulated) return;
  const NodeRecord::Simulated& simulated = *record.simulated;
  environment.set_attribute("platform", simulated.platform);
  environment.set_attribute("simulated_computing", simulated.computing);
  environment.set_attribute("simulated_compute_factor", simulated.compute_factor);
  environment.set_attribute<std::int64_t>("simulated_ranks", simulated.ranks);
  environment.set_attribute<std::int64_t>("simulated_hosts", simulated.hosts);
}

void write_nodes(const h5::Group& phases, const NodeRecord& record) {
  if (record.node.empty()) return;
  phases.write_array("node", record.node, "1",
                     "node of each rank, from 0 on in the order of the ranks");
}

}  // namespace trilemma
