#include "record/node_record.hpp"

namespace trilemma {

void write_asked_placement(hid_t environment, const NodeRecord& record) {
  if (!record.asked) return;
  const NodeRecord::Asked& asked = *record.asked;
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"nodes_asked", asked.nodes},
      {"ranks_per_node_asked", asked.ranks_per_node},
      {"cores_per_rank_asked", asked.cores_per_rank},
      {"threads_per_core_asked", asked.threads_per_core}};
  for (const auto& [name, number] : numbers) h5::set_attribute(environment, name, number);
  if (asked.nodes > 0)
    h5::set_attribute<std::uint8_t>(environment, "placement_as_asked", asked.is_met ? 1 : 0);
}

void write_simulation(hid_t environment, const NodeRecord& record) {
  if (!record.simulated) return;
  const NodeRecord::Simulated& simulated = *record.simulated;
  h5::set_attribute(environment, "platform", simulated.platform);
  h5::set_attribute(environment, "simulated_computing", simulated.computing);
  h5::set_attribute(environment, "simulated_compute_factor", simulated.compute_factor);
  h5::set_attribute<std::int64_t>(environment, "simulated_ranks", simulated.ranks);
  h5::set_attribute<std::int64_t>(environment, "simulated_hosts", simulated.hosts);
}

void write_nodes(hid_t phases, const NodeRecord& record) {
  if (record.node.empty()) return;
  h5::write_array(phases, "node", h5::type_of<std::int64_t>(), record.node.size(),
                  record.node.data(), "1",
                  "node of each rank, from 0 on in the order of the ranks");
}

}  // namespace trilemma
