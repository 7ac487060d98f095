#include "data/partition_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "numeric/quantile.hpp"

namespace trilemma {
namespace {

using Counts = std::map<std::int32_t, std::size_t>;  // number of records by label

Counts count_labels(const Dataset& train, const std::vector<std::uint32_t>& records) {
  Counts counts;
  for (const auto r : records) ++counts[train.label[r]];
  return counts;
}

double total_variation(const Counts& own, double records, const Counts& pool, double all) {
  double sum = 0;
  for (const auto& [label, count] : pool) {
    const auto at = own.find(label);
    const double here = at == own.end() ? 0.0 : static_cast<double>(at->second) / records;
    sum += std::abs(here - static_cast<double>(count) / all);
  }
  return sum / 2;
}

// Sets the statistics that depend on labels.
void add_labels(const Dataset& train, const Partition& partition, PartitionStatistics& out) {
  std::vector<Counts> own;
  Counts pool;
  double all = 0;
  for (const auto& records : partition.client) {
    own.push_back(count_labels(train, records));
    for (const auto& [label, count] : own.back()) pool[label] += count;
    all += static_cast<double>(records.size());
  }
  std::vector<double> labels;
  std::vector<double> shares;
  std::vector<double> distances;
  for (std::size_t c = 0; c < own.size(); ++c) {
    const auto records = static_cast<double>(partition.client[c].size());
    std::size_t most = 0;
    for (const auto& [label, count] : own[c]) most = std::max(most, count);
    labels.push_back(static_cast<double>(own[c].size()));
    shares.push_back(static_cast<double>(most) / records);
    distances.push_back(total_variation(own[c], records, pool, all));
  }
  out.labels = quartiles_of(labels);
  out.largest_share = quartiles_of(shares);
  out.distance = quartiles_of(distances);
}

std::vector<double> sizes(const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<double> found;
  for (const auto& list : lists) found.push_back(static_cast<double>(list.size()));
  return found;
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

Quartiles quartiles_of(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = total(values) / count;
  std::sort(values.begin(), values.end());
  return {values.front(),         quantile(values, 0.25), quantile(values, 0.5),
          quantile(values, 0.75), values.back(),          mean};
}

PartitionStatistics partition_statistics(const Dataset& train, const Partition& partition,
                                         const std::vector<std::vector<std::uint32_t>>& held_out,
                                         bool from_training) {
  PartitionStatistics out;
  const auto records = sizes(partition.client);
  const auto kept = held_out.empty() ? std::vector<double>{0.0} : sizes(held_out);
  out.records = quartiles_of(records);
  out.held_out = quartiles_of(kept);
  const double used = total(records) + (from_training ? total(kept) : 0.0);
  out.unassigned = train.size() - static_cast<std::size_t>(used);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  out.labels = out.largest_share = out.distance = {nan, nan, nan, nan, nan, nan};
  if (train.classes > 0) add_labels(train, partition, out);
  return out;
}

}  // namespace trilemma
