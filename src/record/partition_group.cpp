#include "record/partition_group.hpp"

namespace trilemma {

void write_partition(const h5::Group& file, const PartitionRecord& record) {
  const h5::Group group = file.create_group("partition");
  const std::pair<const char*, const std::string*> texts[] = {{"kind", &record.kind},
                                                              {"description", &record.description},
                                                              {"assignment", &record.assignment},
                                                              {"hosting", &record.hosting}};
  for (const auto& [name, text] : texts) group.set_attribute(name, *text);
  group.set_attribute("unassigned", record.unassigned);
  group.set_attribute("imbalance", record.imbalance);
  for (const auto& [name, number] : record.number) group.set_attribute(name, number);
  group.write_array("records", record.records, "record", "training records by client");
  group.write_array("held_out", record.held_out, "record", "test records by client");
}

}  // namespace trilemma
