#include "record/run_identity.hpp"

#include "base/version.hpp"
#include "machine/time_record.hpp"
#include "record/machine_record.hpp"
#include "record/privacy_group.hpp"

namespace trilemma {
namespace {

const Fields<RunFileHead> head_table = {
    field("schema", &RunFileHead::schema, "1", "`trilemma-run`"),
    field("schema_version", &RunFileHead::schema_version, "1",
          "version of the schema; readers refuse other versions"),
    field("program_version", &RunFileHead::program_version, "1",
          "version of the program that wrote the file"),
    field("complete", &RunFileHead::complete, "1", "1 once all rounds are in the file"),
    field("failure", &RunFileHead::failure, "1",
          "round and cause of an early end, otherwise empty (withheld under `privacy.strict`)"),
    field("wall_seconds", &RunFileHead::wall_seconds, "s",
          "duration of the rounds with evaluation, recording and checkpoints, summed over restarts "
          "(without the rounds that were repeated); NaN in a complete file under "
          "`privacy.strict`"),
    field("fingerprint", &RunFileHead::fingerprint, "1",
          "SHA-256 of the settings that determine the results: all except placement "
          "(`server_hosts`, `hosting`), the ways of messages (`exchange.up`, `exchange.nodes`), "
          "timing, checkpoints and watchdog; files that settings name (`start.file`, `clock.file`, "
          "`graph.file`) count by their SHA-256, not by their names"),
};

const Fields<PartitionRecord> partition_table = {
    field("kind", &PartitionRecord::kind, "1", "`partition.kind`"),
    field("description", &PartitionRecord::description, "1",
          "the partition in words, before test records were removed", Compared::repeated),
    field("assignment", &PartitionRecord::assignment, "1",
          "SHA-256 of the assignment as text: a line per client with the numbers of its training "
          "records (from 0, in the order of the source, without test records and dropped records) "
          "in the client's order, separated by blanks; then, if clients have test records of "
          "their own, a line per client with those; empty under `privacy.strict`",
          Compared::repeated),
    field("unassigned", &PartitionRecord::unassigned, "record",
          "training records that belong to no client", Compared::repeated)
        .at_least(0),
    field("hosting", &PartitionRecord::hosting, "1",
          "what is balanced over the hosting ranks at the first start: `clients` or `records`"),
    field("imbalance", &PartitionRecord::imbalance, "1",
          "training records of the fullest hosting rank, divided by the mean", Compared::nowhere),
};

const Fields<NodeRecord::Asked> asked_table = {
    field("nodes_asked", &NodeRecord::Asked::nodes, "node",
          "requested nodes; 0 = left to the batch system"),
    field("ranks_per_node_asked", &NodeRecord::Asked::ranks_per_node, "rank",
          "requested ranks on the fullest node; 0 = left to the batch system"),
    field("cores_per_rank_asked", &NodeRecord::Asked::cores_per_rank, "core",
          "requested cores of a rank; 0 = not specified"),
    field("threads_per_core_asked", &NodeRecord::Asked::threads_per_core, "thread",
          "requested hardware threads of a core that ranks may use; 0 = not specified"),
    field("placement_as_asked", &NodeRecord::Asked::is_met, "1",
          "1 if the ranks are placed as requested, 0 if not (`--placement-check "
          "mark`); absent where `nodes_asked` is 0"),
};

const Fields<NodeRecord::Simulated> simulated_table = {
    field("platform", &NodeRecord::Simulated::platform, "1", "file name of the simulated platform"),
    field("simulated_computing", &NodeRecord::Simulated::computing, "1",
          "model of the duration of computing, in words"),
    field("simulated_compute_factor", &NodeRecord::Simulated::compute_factor, "1",
          "duration of computing relative to the simulating machine; 0 = computing takes no time"),
    field("simulated_ranks", &NodeRecord::Simulated::ranks, "rank", "simulated ranks"),
    field("simulated_hosts", &NodeRecord::Simulated::hosts, "host",
          "simulated hosts of these ranks"),
};

const Fields<UplinkRecord> uplink_table = {
    field(
        "uplink", &UplinkRecord::uplink, "1",
        "exchange that was used: the value of `exchange.up`, or what `auto` has chosen; of several "
        "starts that of the first one that sent sums, otherwise that of the first; empty = there "
        "is no server",
        Compared::nowhere),
    field(
        "uplink_reason", &UplinkRecord::reason, "1",
        "why: `asked_for`; `one_rank`; `strict` (privacy.strict); `messages_are_fewer` (they have at "
        "most as many bytes as a sum); `sums_are_fewer` (a sum has fewer bytes than the messages); "
        "`sums_of_nodes` (the same on several nodes)",
        Compared::nowhere),
    field("uplink_in_words", &UplinkRecord::in_words, "1", "both in words", Compared::nowhere),
    field("uplink_messages", &UplinkRecord::messages, "message",
          "what `auto` compared: messages of a rank, or of a node where there are several; NaN = "
          "`auto` was not asked",
          Compared::nowhere),
    field("uplink_message_bytes", &UplinkRecord::message_bytes, "B", "bytes of a message",
          Compared::nowhere),
    field("uplink_sum_bytes", &UplinkRecord::sum_bytes, "B", "bytes of a sum", Compared::nowhere),
};

// Writes the parts that renew_identity() replaces.
void write_claim(const h5::Group& file, const RunIdentity& id) {
  RunFileHead head;
  head.program_version = program_version();
  head.fingerprint = id.fingerprint;
  write_fields(file, head_table, head);
  for (const auto& [name, value] : id.attributes) write_value(file, name, value);
  file.write_text("config", id.config, "resolved configuration, as TOML");
  write_privacy(file, id.privacy);
  if (id.theory) write_fields(file, theory_fields(), *id.theory);
  if (id.graph) write_fields(file, graph_fields(), *id.graph);
  if (id.own_model) write_fields(file, model_fields(), *id.own_model);
}

void write_partition(const h5::Group& file, const PartitionRecord& record) {
  const h5::Group group = file.create_group("partition");
  write_fields(group, partition_table, record);
  for (const auto& [name, number] : record.number) group.set_attribute(name, number);
  group.write_array("records", record.records, "record", "training records by client");
  group.write_array("held_out", record.held_out, "record", "test records by client");
}

void write_placement(const h5::Group& environment, const NodeRecord& record) {
  if (record.asked) {
    write_fields(environment, asked_table, *record.asked);
    // Without a requested number of nodes, the placement cannot differ from the request.
    if (record.asked->nodes == 0) environment.remove_attribute("placement_as_asked");
  }
  if (record.simulated) write_fields(environment, simulated_table, *record.simulated);
}

void write_nodes(const h5::Group& phases, const NodeRecord& record) {
  if (record.node.empty()) return;
  phases.write_array(
      "node", record.node, "1",
      "node of each rank; nodes are numbered from 0 in the order of their first ranks");
}

}  // namespace

const Fields<PartitionRecord>& partition_fields() { return partition_table; }

const Fields<NodeRecord::Asked>& asked_fields() { return asked_table; }

const Fields<NodeRecord::Simulated>& simulated_fields() { return simulated_table; }

const Fields<UplinkRecord>& uplink_fields() { return uplink_table; }

const Fields<RunFileHead>& head_fields() { return head_table; }

void write_identity(const h5::Group& file, const RunIdentity& id) {
  write_claim(file, id);
  write_partition(file, id.partition);
  const h5::Group environment = file.create_group("environment");
  for (const auto& [name, text, help] : id.environment) environment.write_text(name, text, help);
  environment.write_array("vector_bits", id.vector_bits, "bit",
                          "width of the vector registers that each rank computes with");
  write_machine(environment, id.machine);
  write_placement(environment, id.nodes);
  write_fields(environment, uplink_table, id.uplink);
  write_fields(environment, time_fields(), TimeRecord{});
  write_nodes(file.create_group("phases"), id.nodes);
}

void renew_identity(const h5::Group& file, const RunIdentity& id) {
  for (const char* name : {"config", "privacy"}) file.remove_member(name);
  write_claim(file, id);
  write_fields(file.open_group("environment"), uplink_table, id.uplink);
}

void renew_uplink(const h5::Group& file, const RunIdentity& id) {
  file.remove_member("privacy");
  write_privacy(file, id.privacy);
  write_fields(file.open_group("environment"), uplink_table, id.uplink);
}

}  // namespace trilemma
