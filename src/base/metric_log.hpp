#pragma once
// The record of every round. A part declares its metrics and sets their values; the metric log
// brings them to rank 0, and writers and displays of rows follow the declarations.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/provenance.hpp"
#include "base/ratio_histogram.hpp"
#include "base/state.hpp"

namespace trilemma {

/// A column of the record. Writing, `trilemma verify` and the reference page follow its
/// declaration, which therefore stands once, where the metric is set.
struct Metric {
  /// How the values of a round, and of the ranks, are combined to one value per row.
  enum class Kind {
    gauge,  ///< rank 0's number; NaN if it was not set
    mean,   ///< mean of numbers >= 0 of all ranks, summed exactly in any order; NaN without numbers
    median,  ///< RatioHistogram::median() of the ratios of all ranks; NaN without ratios
    least,   ///< smallest number of all ranks; NaN without numbers
    most,    ///< largest number of all ranks; NaN without numbers
    count,   ///< count of rank 0 since the start
    sum,     ///< sum of the counts of all ranks since the start
  };

  /// Which values are better.
  enum class Better { neither, higher, lower };

  /// How a column changes from row to row.
  enum class Course {
    free,
    monotone,   ///< never decreases, and is a number in every row
    cumulative  ///< an integer that never decreases
  };

  /// The runs that have the column.
  enum class Runs {
    all,
    with_server,
    secure,           ///< secure aggregation
    own_models,       ///< every client has a model of its own
    timed,            ///< server steps on the simulated clock or in real time
    simulated,        ///< server steps on the simulated clock
    real,             ///< server steps in real time
    decentralised,    ///< nodes without a server
    evaluates_nodes,  ///< decentralised, with evaluate.nodes
  };

  const char* name;
  const char* units;
  const char* description;
  Provenances provenance;  ///< decides whether a claim covers it
  Kind kind = Kind::gauge;
  bool depends_on_ranks = false;  ///< differs with the number of ranks
  Better better = Better::neither;
  bool is_shown = true;  ///< among the last values that `trilemma show` prints
  /// The smallest and the largest possible value.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool never_falls = false;      ///< of a gauge; counts never fall
  bool is_evaluated = false;     ///< has numbers only in the rows of evaluated states
  const char* never_above = "";  ///< another column of the group that is nowhere smaller
  Runs runs = Runs::all;
  bool is_recent = false;  ///< files of older programs do not have the column

  constexpr bool is_count() const { return kind == Kind::count || kind == Kind::sum; }
  constexpr Course course() const {
    return is_count() ? Course::cumulative : never_falls ? Course::monotone : Course::free;
  }
  /// Returns the group and the name of the column: "rounds/objective".
  std::string path() const { return (depends_on_ranks ? "mpi/" : "rounds/") + std::string(name); }
};

/// Return the values of the attributes `better`, `course` and `runs` of a column.
const char* name(Metric::Better better);
const char* name(Metric::Course course);
const char* name(Metric::Runs runs);

/// A value of a row: `count` for metrics that count, otherwise `number`.
union Cell {
  double number;
  std::uint64_t count;
};

/// The state after `round` rounds: one value per metric, in the order of declaration.
struct MetricRow {
  std::int64_t round;
  std::span<const Cell> cells;
};

/// Rows are filled and ended on all ranks and come to rank 0 in batches: part() of every rank goes
/// to merge(), and take() delivers the finished rows.
class MetricLog {
 public:
  /// Identifier of a metric.
  using Id = std::size_t;
  /// Means are summed in these units; a larger number, or NaN, counts as `most_mean`.
  static constexpr double mean_unit = 0x1p-32;
  static constexpr double most_mean = 0x1p14;

  /// Adds a metric with a unique name and returns its identifier. Metrics of the kinds mean,
  /// median, least, most and sum must be declared on all ranks in the same order.
  Id declare(const Metric& metric);
  std::span<const Metric> metrics() const { return metrics_; }
  /// Returns the identifier of the metric with this name, which must exist.
  Id find(std::string_view name) const;

  /// Sets a gauge of the current row.
  void set(Id id, double value);
  void set(std::string_view name, double value) { set(find(name), value); }
  /// Adds a number to a metric of kind mean, median, least or most.
  void observe(Id id, double value);
  /// Adds ratios to a metric of kind median.
  void observe(Id id, const RatioHistogram& ratios);
  /// Adds `ones` numbers 1 and `zeros` numbers 0 to a metric of kind mean.
  void observe_share(Id id, std::uint64_t ones, std::uint64_t zeros);
  /// Increases a count by `more`.
  void add(Id id, std::uint64_t more);
  /// Sets a count that is maintained elsewhere.
  void set_count(Id id, std::uint64_t count);

  /// Values of this rank in the current row.
  struct Filled {
    std::vector<double> part;
    std::vector<std::uint64_t> units;
  };
  /// Removes and returns the values of the current row, which starts again.
  Filled set_aside();
  /// Restores values returned by set_aside(), replacing the current ones.
  void put_back(Filled filled);

  /// Ends the current row.
  void end_row(std::int64_t round);
  /// Returns the number of finished rows not yet taken; part() returns the values of this rank in
  /// them.
  std::size_t rows() const { return round_.size(); }
  std::int64_t last_round() const { return round_.back(); }
  std::span<const double> part() const { return part_; }
  /// Rank 0: adds the part of a rank, including its own.
  void merge(std::span<const double> part);
  /// Rank 0: passes the finished rows to `visit`, once all parts have been merged.
  template <class Visit>
  void take(Visit visit) {
    for (std::size_t row = 0; row < rows(); ++row) visit(finish(row));
    drop();
  }
  /// Drops the finished rows of more than `round` rounds.
  void keep_until(std::int64_t round);
  /// Other ranks: drops the finished rows.
  void drop();
  /// Saves or restores the counts, on rank 0.
  void persist(State& state) { state.values(total_); }

 private:
  MetricRow finish(std::size_t row);
  double* filled(Id id) { return filling_.data() + first_[id]; }

  std::vector<Metric> metrics_;
  std::vector<std::size_t> first_;    ///< by metric: position of its numbers in a row of a part
  std::vector<std::uint64_t> total_;  ///< by metric: count so far
  std::vector<std::uint64_t> units_;  ///< by metric: sum of a mean in the current row
  std::vector<double> neutral_;       ///< a row of a part without values
  std::vector<double> filling_;       ///< this rank's part of the current row
  std::vector<Cell> cells_;           ///< rank 0's own values in the current row
  std::vector<std::int64_t> round_;   ///< numbers of the finished rows
  std::vector<Cell> ended_;           ///< cells of the finished rows
  std::vector<double> part_, merged_;
};

}  // namespace trilemma
