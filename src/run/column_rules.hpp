#pragma once
// Rules for the values of every column, valid for every run.

#include <limits>
#include <span>
#include <string_view>

#include "base/provenance.hpp"

namespace trilemma {

/// How a column changes from row to row.
enum class Course {
  free,
  count,  ///< an integer that never decreases
  time    ///< a number that never decreases
};

/// The runs that have the column.
enum class Runs { all, timed, simulated, real, with_server, decentralised, evaluates_nodes };

/// Rules for the values of one column.
struct ColumnRule {
  std::string_view name;  ///< "rounds/objective"
  Provenances
      provenance;  ///< as declared by the metric: decides whether a file may have the column
  Course course = Course::free;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  Runs runs = Runs::all;
  bool is_evaluated = false;  ///< whether it has numbers in evaluated rows only
  bool is_score = false;      ///< a share if records have classes, otherwise an error
  /// Only files of runs whose clients have models of their own, and no files of older programs,
  /// have the column.
  bool is_of_own_models = false;
  /// Files of other builds of this program version may lack the column.
  bool is_recent = false;
};

/// Returns a rule for every metric that a run declares; tests/run/column_rules_test.cpp compares
/// both.
std::span<const ColumnRule> column_rules();

/// Two columns; the first must not exceed the second in rows where both have numbers.
struct ColumnOrder {
  std::string_view lower, upper;
};
std::span<const ColumnOrder> column_orders();

}  // namespace trilemma
