#include "federation/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace trilemma {
namespace {

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
