#include "federation/partitioned_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/sha256.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

// Returns the records on which the rank trains and tests.
KeptRecords records_of_rank(const Placement& place, const TrainTest& data,
                            const PartitionedData& partitioned) {
  KeptRecords kept{std::vector<bool>(data.train.size()), std::vector<bool>(data.test.size())};
  const auto first = static_cast<std::size_t>(place.first(place.rank));
  const auto count = static_cast<std::size_t>(place.count(place.rank));
  for (std::size_t client = first; client < first + count; ++client) {
    for (const auto record : partitioned.partition.client[client]) kept.train[record] = true;
    if (!partitioned.test.empty())
      for (const auto record : partitioned.test[client])
        (partitioned.test_is_held_out ? kept.train : kept.test)[record] = true;
  }
  const int host = place.rank - place.first_host();
  if (partitioned.test.empty() && host >= 0)
    for (const auto record : test_rows(data.test.size(), static_cast<std::size_t>(host),
                                       static_cast<std::size_t>(place.hosts())))
      kept.test[record] = true;
  return kept;
}

// Adds one line at a time, since the whole text would take about seven bytes per record of all
// ranks.
void add_lines(const std::vector<std::vector<std::uint32_t>>& lists, Sha256& sum) {
  std::string line;
  for (const auto& list : lists) {
    line.clear();
    for (std::size_t i = 0; i < list.size(); ++i)
      line.append(i > 0 ? " " : "").append(std::to_string(list[i]));
    line += '\n';
    sum.add(std::as_bytes(std::span(line)));
  }
}

double share_of_most_frequent(const Dataset& records, Coordinates rows) {
  std::map<std::int32_t, std::size_t> count;
  for (const auto row : rows) ++count[records.label[row]];
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return static_cast<double>(most->second) / static_cast<double>(rows.size());
}

// Uses two passes, since targets may be far from 0.
double deviation(const Dataset& records, Coordinates rows) {
  double sum = 0;
  for (const auto row : rows) sum += static_cast<double>(records.target[row]);
  const auto total = static_cast<double>(rows.size());
  const double mean = sum / total;
  double squares = 0;
  for (const auto row : rows) {
    const double apart = static_cast<double>(records.target[row]) - mean;
    squares += apart * apart;
  }
  return records.target_scale * std::sqrt(squares / total);
}

double best_constant(const Dataset& records, Coordinates rows) {
  if (records.classes != 0) return share_of_most_frequent(records, rows);
  return records.target.empty() ? std::nan("") : deviation(records, rows);
}

}  // namespace

PartitionedData partition_records(const Plan& plan, const std::string& data_folder,
                                  Placement& placement) {
  const bool needs_all = plan.test_share > 0 || plan.evaluation.optimum || plan.start.at_optimum;
  if (placement.size == 1 || needs_all || !plan.source->loads_parts()) {
    PartitionedData all = partition_records(plan, data_folder);
    choose_hosts(plan, all, placement);
    return all;
  }
  PartitionedData out;
  out.files_state = data_state(plan, data_folder);
  const auto choose = [&](const TrainTest& without_rows) {
    assign_records(plan, without_rows, out);
    choose_hosts(plan, out, placement);
    return records_of_rank(placement, without_rows, out);
  };
  out.data = reading(plan.source->description(),
                     [&] { return plan.source->load_part(data_folder, plan.data_seed, choose); });
  refuse_renumbering(plan, out.data);
  scale_records(plan, out);
  return out;
}

void choose_hosts(const Plan& plan, const PartitionedData& partitioned, Placement& placement) {
  if (plan.hosts_by_records && placement.size > 1)
    placement.blocks = blocks_by_records(records_by_client(partitioned), placement.hosts());
}

std::shared_ptr<const PartitionedData> kept_records(const Plan& plan,
                                                    const std::string& data_folder) {
  using Wanted = std::pair<std::map<std::string, std::string>, std::string>;
  static Wanted kept_for;
  static std::shared_ptr<const PartitionedData> kept;
  const Wanted wanted{plan.record_settings, data_state(plan, data_folder)};
  if (wanted != kept_for) {
    kept.reset();  // two data sets may exceed the memory
    kept = std::make_shared<const PartitionedData>(partition_records(plan, data_folder));
    kept_for = wanted;
  } else {
    plan.problem->check(kept->data.train);
  }
  return kept;
}

PartitionStatistics statistics_of(const PartitionedData& partitioned) {
  return partition_statistics(partitioned.data.train, partitioned.partition, partitioned.test,
                              partitioned.test_is_held_out);
}

std::string assignment_sum(const PartitionedData& partitioned) {
  Sha256 sum;
  add_lines(partitioned.partition.client, sum);
  add_lines(partitioned.test, sum);
  return sum.finish();
}

std::vector<std::size_t> records_by_client(const PartitionedData& partitioned) {
  return partitioned.partition.sizes();
}

Baseline best_constants(const PartitionedData& partitioned) {
  Baseline out;
  const Dataset& records =
      partitioned.test_is_held_out ? partitioned.data.train : partitioned.data.test;
  std::vector<std::uint32_t> all;
  double sum = 0;
  double clients = 0;
  for (const auto& rows : partitioned.test) {
    if (rows.empty()) continue;
    all.insert(all.end(), rows.begin(), rows.end());
    sum += best_constant(records, rows);
    ++clients;
  }
  if (clients > 0) out.personal = sum / clients;
  if (partitioned.test.empty()) {
    all.resize(records.size());
    std::iota(all.begin(), all.end(), 0U);
  }
  if (!all.empty()) out.common = best_constant(records, all);
  return out;
}

}  // namespace trilemma
