#include "run/partition_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "experiment/disclosures.hpp"

namespace trilemma {
namespace {

struct Distribution {
  const char* name;
  const char* words;
  const char* units;
  Quartiles PartitionStatistics::*quartiles;
  bool is_of_labels;
};
constexpr Distribution distributions[] = {
    {"records", "records to train on", "record", &PartitionStatistics::records, false},
    {"held_out", "records to test on", "record", &PartitionStatistics::held_out, false},
    {"labels", "labels", "label", &PartitionStatistics::labels, true},
    {"largest_share", "share of the largest label", "1", &PartitionStatistics::largest_share, true},
    {"distance", "distance to all labels", "1", &PartitionStatistics::distance, true},
};

struct Statistic {
  const char* name;
  const char* words;
  double Quartiles::*value;
};
constexpr Statistic statistics[] = {
    {"least", "least", &Quartiles::least},
    {"lower", "lower quartile (by the nearest rank)", &Quartiles::lower},
    {"median", "median", &Quartiles::median},
    {"upper", "upper quartile", &Quartiles::upper},
    {"most", "most", &Quartiles::most},
    {"mean", "mean", &Quartiles::mean},
};

double imbalance_of(const std::vector<std::size_t>& records) {
  const double sum = std::accumulate(records.begin(), records.end(), 0.0);
  const auto most = static_cast<double>(*std::max_element(records.begin(), records.end()));
  return most * static_cast<double>(records.size()) / sum;
}

std::vector<std::int64_t> sizes(const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::int64_t> found;
  for (const auto& list : lists) found.push_back(static_cast<std::int64_t>(list.size()));
  return found;
}

std::string hosts_table(const PartitionRecord& record, const std::vector<HostedClients>& hosts,
                        long ranks) {
  std::string text = fmt::format("hosting = \"{}\" on {} rank{}, imbalance (most / mean) {:.4g}\n",
                                 record.hosting, ranks, ranks == 1 ? "" : "s", record.imbalance);
  for (const auto& host : hosts)
    text += fmt::format("  rank {:<4} clients {} + {}, {} records\n", host.rank, host.first,
                        host.clients, host.records);
  return text;
}

// Formats integers with all digits, other numbers with four.
std::string short_number(double value) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

std::vector<std::pair<std::string, double>> numbers_of(const char* name,
                                                       const Quartiles& quartiles) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& statistic : statistics)
    numbers.emplace_back(fmt::format("{}_{}", name, statistic.name), quartiles.*statistic.value);
  return numbers;
}

std::vector<FieldRow> distribution_rows() {
  std::vector<FieldRow> rows;
  for (const auto& distribution : distributions)
    for (const auto& statistic : statistics)
      rows.push_back(
          {fmt::format("{}_{}", distribution.name, statistic.name), name(FieldType::number),
           distribution.units,
           fmt::format("{} of a client: {} over the clients{}", distribution.words, statistic.words,
                       distribution.is_of_labels ? "; NaN for real targets" : "")});
  return rows;
}

PartitionRecord partition_record(const Plan& plan, const PartitionedData& partitioned,
                                 const Placement& placement) {
  PartitionRecord out;
  out.kind = plan.partition_kind;
  out.description = partitioned.partition.description;
  const Provenances kept_back = withheld(plan);
  if (!kept_back.holds(Provenance::checksums)) out.assignment = assignment_sum(partitioned);
  out.hosting = plan.hosts_by_records ? "records" : "clients";
  const PartitionStatistics found = statistics_of(partitioned);
  out.unassigned = static_cast<std::int64_t>(found.unassigned);
  for (const auto& distribution : distributions)
    for (const auto& [name, value] : numbers_of(distribution.name, found.*distribution.quartiles))
      out.number.emplace_back(name, kept_back.holds(Provenance::labels) && distribution.is_of_labels
                                        ? std::nan("")
                                        : value);
  out.records = sizes(partitioned.partition.client);
  out.held_out = sizes(partitioned.test);
  out.imbalance = imbalance_of(records_by_host(placement, records_by_client(partitioned)));
  return out;
}

std::vector<HostedClients> hosted_clients(const Placement& placement,
                                          const std::vector<std::size_t>& records) {
  const auto hosted = records_by_host(placement, records);
  std::vector<HostedClients> hosts;
  for (int rank = placement.first_host(); rank < placement.size; ++rank)
    hosts.push_back({rank, placement.first(rank), placement.count(rank),
                     hosted[static_cast<std::size_t>(rank - placement.first_host())]});
  return hosts;
}

std::string partition_table(const PartitionRecord& record, const std::vector<HostedClients>& hosts,
                            long ranks) {
  auto total = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  std::string text = fmt::format(
      "{}: {}\n{} records for training, {} held out by clients for tests, {} left out\nassignment {}\n\n"
      "{:<28}",
      record.kind, record.description, total(record.records), total(record.held_out),
      record.unassigned, record.assignment, fmt::format("of {} clients", record.records.size()));
  for (const auto& statistic : statistics) text += fmt::format("{:>11}", statistic.name);
  auto next = record.number.begin();
  for (const auto& distribution : distributions) {
    const bool known = !std::isnan(next->second);
    if (known) text += fmt::format("\n{:<28}", distribution.words);
    for (std::size_t i = 0; i < std::size(statistics); ++i, ++next)
      if (known) text += fmt::format("{:>11}", short_number(next->second));
  }
  return text + "\n\n" + hosts_table(record, hosts, ranks);
}

}  // namespace trilemma
