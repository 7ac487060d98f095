#include "record/partition_record.hpp"

namespace trilemma {
namespace {

const Fields<PartitionRecord> partition_table = {
    field("kind", &PartitionRecord::kind, "1", "`partition.kind`"),
    field("description", &PartitionRecord::description, "1",
          "the partition in words, before test records were taken out", Compared::repeated),
    field("assignment", &PartitionRecord::assignment, "1",
          "SHA-256 of the assignment as text: a line per client with the numbers of its training "
          "records (from 0, in the order of the source, without those drawn for tests or left "
          "out) in the client's order, separated by blanks; then a line per client with its test "
          "records, where it has its own; empty under `privacy.strict`",
          Compared::repeated),
    field("unassigned", &PartitionRecord::unassigned, "record",
          "records of the training set that no client has", Compared::repeated),
    field("hosting", &PartitionRecord::hosting, "1",
          "what ranks host equally much of at the first start: `clients` or `records`"),
    field("imbalance", &PartitionRecord::imbalance, "1",
          "training records of the fullest hosting rank over the mean", Compared::nowhere),
};

}  // namespace

const Fields<PartitionRecord>& partition_fields() { return partition_table; }

void write_partition(const h5::Group& file, const PartitionRecord& record) {
  const h5::Group group = file.create_group("partition");
  write_fields(group, partition_fields(), record);
  for (const auto& [name, number] : record.number) group.set_attribute(name, number);
  group.write_array("records", record.records, "record", "training records by client");
  group.write_array("held_out", record.held_out, "record", "test records by client");
}

}  // namespace trilemma
