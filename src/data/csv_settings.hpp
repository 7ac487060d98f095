#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "data/preprocessing.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Settings of CSV files.
struct CsvSettings {
  std::string train, test, target, user, order;
  MissingValues missing;
  Scaling scaling;
  std::vector<std::string> columns, drop, one_hot;
  std::vector<std::string> labels;  ///< labels of the classes; empty: those in the files
  char delimiter, decimal;
  std::optional<std::size_t> features;
  std::optional<int> classes;
  bool bias;
};

/// Reads the settings of CSV files; the defaults are those of Parkinsons telemonitoring.
CsvSettings read_csv_settings(Settings& s);

/// Returns whether `name` is one of `names`.
inline bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace trilemma
