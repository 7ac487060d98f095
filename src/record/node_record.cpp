#include "record/node_record.hpp"

namespace trilemma {
namespace {

const Fields<NodeRecord::Asked> asked_table = {
    field("nodes_asked", &NodeRecord::Asked::nodes, "node", "nodes; 0 = left to the batch system"),
    field("ranks_per_node_asked", &NodeRecord::Asked::ranks_per_node, "rank",
          "ranks on the fullest node; 0 = left to the batch system"),
    field("cores_per_rank_asked", &NodeRecord::Asked::cores_per_rank, "core",
          "cores of a rank; 0 = not specified"),
    field("threads_per_core_asked", &NodeRecord::Asked::threads_per_core, "thread",
          "hardware threads of a core that ranks may use; 0 = not specified"),
    field("placement_as_asked", &NodeRecord::Asked::is_met, "1",
          "1 if the ranks are on the nodes that were asked for, 0 if not (`--placement-check "
          "mark`); absent where `nodes_asked` is 0"),
};

const Fields<NodeRecord::Simulated> simulated_table = {
    field("platform", &NodeRecord::Simulated::platform, "1", "file name of the platform"),
    field("simulated_computing", &NodeRecord::Simulated::computing, "1",
          "how long computing takes, in words"),
    field("simulated_compute_factor", &NodeRecord::Simulated::compute_factor, "1",
          "time of computing relative to the machine that simulates; 0 = it takes no time"),
    field("simulated_ranks", &NodeRecord::Simulated::ranks, "rank", "simulated ranks"),
    field("simulated_hosts", &NodeRecord::Simulated::hosts, "host",
          "simulated hosts that the ranks share"),
};

}  // namespace

const Fields<NodeRecord::Asked>& asked_fields() { return asked_table; }

const Fields<NodeRecord::Simulated>& simulated_fields() { return simulated_table; }

void write_placement(const h5::Group& environment, const NodeRecord& record) {
  if (record.asked) {
    write_fields(environment, asked_fields(), *record.asked);
    // Where no number of nodes was asked for, none can be missed.
    if (record.asked->nodes == 0) environment.remove_attribute("placement_as_asked");
  }
  if (record.simulated) write_fields(environment, simulated_fields(), *record.simulated);
}

void write_nodes(const h5::Group& phases, const NodeRecord& record) {
  if (record.node.empty()) return;
  phases.write_array("node", record.node, "1",
                     "node of each rank, from 0 on in the order of the ranks");
}

}  // namespace trilemma
