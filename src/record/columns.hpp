#pragma once
// The columns of a run file: one line each, from which data sets, units and descriptions follow.

#include <vector>

#include "record/h5.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// What a column is made of.
enum class Made {
  released,  ///< of messages and settings, which the claim covers, or of nothing
  records,   ///< of private records, without noise
  tests      ///< of test records, which may be those of the clients
};

struct Column {
  const char* name;
  const char* units;
  const char* description;
  bool mpi;  ///< in group /mpi, which depends on the placement
  double RunRow::*number;
  std::uint64_t RunRow::*count;
  std::int64_t RunRow::*index;
  Made made = Made::released;

  hid_t type() const;
  /// Appends this column of the rows to its data set.
  void append(const h5::Handle& dataset, const std::vector<RunRow>& rows) const;
};

/// All columns, or those that leave out what the claim does not cover.
std::vector<Column> run_columns(bool strict = false, bool has_private_tests = false);

}  // namespace trilemma
