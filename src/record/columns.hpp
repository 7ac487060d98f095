#pragma once
// The columns of a run file: one line each, from which data sets, units and descriptions follow.

#include <vector>

#include "record/h5.hpp"
#include "record/run_file.hpp"

namespace trilemma {

struct Column {
  const char* name;
  const char* units;
  const char* description;
  bool mpi;  ///< in group /mpi, which depends on the placement
  double RunRow::*number;
  std::uint64_t RunRow::*count;
  std::int64_t RunRow::*index;

  hid_t type() const;
  /// Appends this column of the rows to its data set.
  void append(const h5::Handle& dataset, const std::vector<RunRow>& rows) const;
};

std::vector<Column> run_columns();

}  // namespace trilemma
