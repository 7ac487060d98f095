#include "experiment/identity.hpp"
#include "experiment/partition_report.hpp"

namespace trilemma {

int partition_command(const PartitionOptions& options) {
  DataFolder data(data_folder(options.data_folder));
  const Plan plan = read_plan(Settings::from_file(options.file, options.overrides), &data);
  const SpreadRecords spread = spread_records(plan, data.path());
  Placement placement{.rank = 0,
                      .size = static_cast<int>(options.ranks),
                      .clients = static_cast<int>(plan.clients),
                      .server_hosts = plan.server_hosts};
  choose_hosts(plan, spread, placement);
  fmt::print("{}\n{}", records_in_words(plan, spread.data.scaling),
             partition_table(partition_record(plan, spread, placement), placement));
  return 0;
}

}  // namespace trilemma
