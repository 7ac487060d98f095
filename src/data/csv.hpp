#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// Text cells of a CSV file under the names of its header.
struct CsvTable {
  std::string file;                 ///< for messages
  std::vector<std::string> header;  ///< names of the columns
  std::vector<std::string> cell;    ///< rows x columns
  std::vector<std::size_t> line;    ///< of the file, by row
  std::size_t skipped = 0;          ///< rows that were incomplete
  char decimal = '.';               ///< of numbers
  /// Numbers that were nearer to 0 than a `real` can be, counted by number().
  mutable std::size_t lost = 0;

  std::size_t rows() const { return line.size(); }
  /// Place of a column; refuses a name that the header has not got, with the nearest one. `key` is
  /// the setting that names it.
  std::size_t column(const std::string& name, const std::string& key) const;
  /// Nothing, NA, NaN, nan or ? stands in the cell.
  bool is_missing(std::size_t row, std::size_t column) const;
  /// Refuses a missing value of a feature with file, line and column.
  void require_value(std::size_t row, std::size_t column) const;
  /// Leaves out the rows with a missing value in one of the columns. Refuses to leave out all.
  void drop_incomplete(const std::vector<std::size_t>& columns);
  /// A cell whose value must not be missing. Refuses with file, line and column.
  const std::string& text(std::size_t row, std::size_t column) const;
  /// "FILE:LINE: column NAME" of a cell, for messages.
  std::string place(std::size_t row, std::size_t column) const;
  /// A cell that must be a number that is finite as `real`. Refuses likewise.
  double number(std::size_t row, std::size_t column) const;
  /// Reads a cell as such a number; false if it is none. Where the decimal point is a comma, a
  /// point makes it none: it would stand between thousands.
  bool is_number_at(std::size_t row, std::size_t column, double& value) const;
  /// Whether a cell is a number but for separators of thousands: "1.500,5" where the decimal point
  /// is a comma, "1,500.5" where it is a point.
  bool has_separators(std::size_t row, std::size_t column) const;
  /// Refuses such a cell with file, line and column.
  void refuse_separators(std::size_t row, std::size_t column) const;
};

/// Reads comma-separated values with a header (RFC 4180: quotes, doubled quotes, line breaks in
/// quotes; blanks around unquoted cells and empty lines are dropped, a byte order mark too; so is a
/// first line "sep=;" of spreadsheets), plain or packed with gzip. The first column may have no
/// name, as that of the row names has none (pandas, R), and so may columns of empty cells.
/// Refuses, with file and line: a missing or empty file, other columns without a name, repeated
/// names, rows that are longer or shorter than the header, stray quotes, files of other formats.
CsvTable read_csv(const std::string& file, char delimiter, char decimal = '.');

}  // namespace trilemma
