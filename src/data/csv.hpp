#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// Text cells of a CSV file with the column names of its header.
struct CsvTable {
  std::string file;                 ///< for messages
  std::vector<std::string> header;  ///< names of the columns
  std::vector<std::string> cell;    ///< rows x columns
  std::vector<std::size_t> line;    ///< line in the file, by row
  std::size_t skipped = 0;          ///< number of incomplete rows that were dropped
  char decimal = '.';               ///< decimal point of numbers
  /// Number of nonzero numbers that became 0 as `real`, counted by number().
  mutable std::size_t lost = 0;

  std::size_t rows() const { return line.size(); }
  /// Returns the position of a column. Refuses a name that the header lacks, suggesting the nearest
  /// one. `key` is the setting that contains the name.
  std::size_t column(const std::string& name, const std::string& key) const;
  /// Returns whether the cell is empty or holds NA, NaN, nan or ?.
  bool is_missing(std::size_t row, std::size_t column) const;
  /// Refuses a missing feature value, naming file, line and column.
  void require_value(std::size_t row, std::size_t column) const;
  /// Drops the rows with a missing value in one of the columns. Refuses to drop all rows.
  void drop_incomplete(const std::vector<std::size_t>& columns);
  /// Returns the text of a cell. Refuses a missing value, naming file, line and column.
  const std::string& text(std::size_t row, std::size_t column) const;
  /// Returns "FILE:LINE: column NAME" of a cell, for messages.
  std::string place(std::size_t row, std::size_t column) const;
  /// Returns the number in a cell. Refuses a cell that is not a number, or not finite as `real`.
  double number(std::size_t row, std::size_t column) const;
  /// Returns whether a cell is such a number, and sets `value`. If the decimal point is a comma, a
  /// cell with a point is not a number, since the point would separate thousands.
  bool is_number_at(std::size_t row, std::size_t column, double& value) const;
  /// Returns whether a cell is a number in another notation: with thousands separators, or with a
  /// decimal comma where the decimal point is a point.
  bool is_number_elsewhere(std::size_t row, std::size_t column) const;
  /// Refuses a number with thousands separators, naming file, line and column.
  void refuse_separators(std::size_t row, std::size_t column) const;
};

/// Reads comma-separated values with a header (RFC 4180: quotes, doubled quotes, line breaks in
/// quotes), plain or packed with gzip. Blanks around unquoted cells, empty lines, a byte order
/// mark, and a first line "sep=;" written by spreadsheets are dropped. The first column may lack a
/// name, since pandas and R write none for row names, and so may columns of empty cells. Refuses,
/// naming file and line: a missing or empty file, other columns without a name, repeated names,
/// rows longer or shorter than the header, stray quotes, files of other formats.
CsvTable read_csv(const std::string& file, char delimiter, char decimal = '.');

}  // namespace trilemma
