#pragma once

#include "base/journal.hpp"

namespace trilemma::testing {

/// A row of a journal by name.
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
inline NamedRow end_row(Journal& journal, std::int64_t round = 0) {
  journal.end_row(round);
  journal.merge(journal.part());
  NamedRow out;
  journal.take([&](const JournalRow& row) {
    out.cells.clear();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out.cells.emplace_back(journal.metrics()[i].name, row.cells[i]);
  });
  return out;
}

}  // namespace trilemma::testing
