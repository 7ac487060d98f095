#pragma once
// What holds of the values of every column, whatever the run.

#include <limits>
#include <span>
#include <string_view>

namespace trilemma {

/// How a column goes from row to row.
enum class Course {
  free,
  count,  ///< a whole number that never falls
  time    ///< a number that never falls
};

/// Of which runs it is a column.
enum class Clock { any, every_clock, simulated, real };

struct ColumnRule {
  std::string_view name;  ///< "rounds/objective"
  Course course = Course::free;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  Clock clock = Clock::any;
  bool is_evaluated = false;  ///< has numbers in evaluated rows only
  bool is_score = false;      ///< a share where records have classes, else an error
};

/// A rule for every metric that a run declares; tests/run/column_rules_test.cpp compares both.
std::span<const ColumnRule> column_rules();

/// Two columns of which the first is never above the second, where both have numbers.
struct ColumnOrder {
  std::string_view lower, upper;
};
std::span<const ColumnOrder> column_orders();

}  // namespace trilemma
