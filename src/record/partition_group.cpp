#include "record/partition_group.hpp"

namespace trilemma {

void write_partition(hid_t file, const PartitionRecord& record) {
  const h5::Handle group = h5::create_group(file, "partition");
  const std::pair<const char*, const std::string*> texts[] = {{"kind", &record.kind},
                                                              {"description", &record.description},
                                                              {"assignment", &record.assignment},
                                                              {"hosting", &record.hosting}};
  for (const auto& [name, text] : texts) h5::set_attribute(group.get(), name, *text);
  h5::set_attribute(group.get(), "unassigned", record.unassigned);
  h5::set_attribute(group.get(), "imbalance", record.imbalance);
  for (const auto& [name, number] : record.number) h5::set_attribute(group.get(), name, number);
  h5::write_array(group.get(), "records", h5::type_of<std::int64_t>(), record.records.size(),
                  record.records.data(), "record", "training records by client");
  h5::write_array(group.get(), "held_out", h5::type_of<std::int64_t>(), record.held_out.size(),
                  record.held_out.data(), "record", "test records by client");
}

}  // namespace trilemma
