#pragma once

#include "base/metric_log.hpp"

namespace trilemma::testing {

/// A row of a metric log by name.
struct NamedRow {
  std::vector<std::pair<std::string, Cell>> cells;

  const Cell& at(std::string_view name) const {
    for (const auto& [metric, cell] : cells)
      if (metric == name) return cell;
    throw std::out_of_range(std::string(name));
  }
  double number(std::string_view name) const { return at(name).number; }
  std::uint64_t count(std::string_view name) const { return at(name).count; }
};

/// Ends the row that is being filled, where one rank is all.
inline NamedRow end_row(MetricLog& metric_log, std::int64_t round = 0) {
  metric_log.end_row(round);
  metric_log.merge(metric_log.part());
  NamedRow out;
  metric_log.take([&](const MetricRow& row) {
    out.cells.clear();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out.cells.emplace_back(metric_log.metrics()[i].name, row.cells[i]);
  });
  return out;
}

}  // namespace trilemma::testing
