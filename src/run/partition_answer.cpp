#include "run/partition_answer.hpp"

#include "experiment/file_kind.hpp"
#include "experiment/unread.hpp"
#include "experiment/words.hpp"

namespace trilemma {

PartitionAnswer partition_answer(const PartitionOptions& options) {
  require_experiment(options.file);
  DataFolder data(data_folder(options.data_folder));
  const Plan plan = read_named_plan(Settings::from_file(options.file, options.overrides), &data);
  const PartitionedData partitioned = partition_records(plan, data.path());
  Placement placement{.rank = 0,
                      .size = static_cast<int>(options.ranks),
                      .clients = static_cast<int>(plan.clients),
                      .server_hosts = plan.server_hosts};
  choose_hosts(plan, partitioned, placement);
  return {.data = records_in_words(plan, partitioned.data.scaling),
          .notes = partitioned.data.notes,
          .drawn_for_tests = plan.test_share > 0 ? partitioned.data.test.size() : 0,
          .test_records = partitioned.data.test.size(),
          .tests_by_user = !partitioned.test.empty() && !partitioned.test_is_held_out,
          .record = partition_record(plan, partitioned, placement),
          .ranks = options.ranks,
          .hosts = hosted_clients(placement, records_by_client(partitioned))};
}

namespace {

std::string test_set_in_words(const PartitionAnswer& answer) {
  if (answer.drawn_for_tests > 0)
    return fmt::format("{} records drawn for tests before the others are spread",
                       answer.drawn_for_tests);
  if (answer.test_records == 0) return "no common test records";
  return fmt::format(
      "{} test records {}", answer.test_records,
      answer.tests_by_user ? "that belong to the clients, by user" : "common to all clients");
}

}  // namespace

std::string to_text(const PartitionAnswer& answer) {
  std::string notes;
  for (const auto& note : answer.notes) notes += fmt::format("note: {}\n", note);
  return fmt::format("{}\n{}{}\n{}", answer.data, notes, test_set_in_words(answer),
                     partition_table(answer.record, answer.hosts, answer.ranks));
}

}  // namespace trilemma
