#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "data/preprocessing.hpp"
#include "settings/reader.hpp"

namespace trilemma {

/// Settings of CSV files; the defaults are those of Parkinsons telemonitoring.
struct CsvSettings {
  std::string train = "parkinsons-telemonitoring/parkinsons_updrs.data", test;
  std::string target, user, order;
  MissingValues missing = MissingValues::refuse;
  Scaling scaling = Scaling::standard;
  std::vector<std::string> columns, drop, one_hot;
  std::vector<std::string> labels;  ///< labels of the classes; empty: those in the files
  char delimiter = ',', decimal = '.';
  std::optional<std::size_t> features;
  std::optional<int> classes;
  bool bias = true;

  void read(Reader& r);

 private:
  void read_cells(Reader& r);
  void read_columns(Reader& r);
  void check_columns(Reader& r) const;
};

/// Returns whether `name` is one of `names`.
inline bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace trilemma
