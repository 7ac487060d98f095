#pragma once
// What a run records of every round. Who makes a metric declares it and sets it; the metric log
// brings it to rank 0, and who writes or shows rows follows what is declared.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/provenance.hpp"
#include "base/state.hpp"

namespace trilemma {

/// A column of the record.
struct Metric {
  /// How the values of a round, and of the ranks, become the one of its row.
  enum class Kind {
    gauge,  ///< rank 0's number; NaN where nobody has set it
    mean,   ///< mean of numbers >= 0 of all ranks, summed exactly in any order; NaN of none
    least,  ///< smallest number of all ranks; NaN of none
    most,   ///< largest one; NaN of none
    count,  ///< rank 0's count since the start
    sum,    ///< counts of all ranks since the start
  };

  /// Which values are better.
  enum class Better { neither, higher, lower };

  const char* name;
  const char* units;
  const char* description;
  Provenances provenance;  ///< decides whether a claim covers it
  Kind kind = Kind::gauge;
  bool depends_on_ranks = false;  ///< is another one on another number of ranks
  Better better = Better::neither;
  bool is_shown = true;  ///< among the last values that `trilemma show` prints

  bool is_count() const { return kind == Kind::count || kind == Kind::sum; }
};

/// Returns the value of the attribute `better` of a column: "higher", "lower" or "neither".
const char* name(Metric::Better better);

/// A value of a row: a number, or of a metric that counts a count.
union Cell {
  double number;
  std::uint64_t count;
};

/// The state after `round` rounds: a value for each metric, in the order of their declaration.
struct MetricRow {
  std::int64_t round;
  std::span<const Cell> cells;
};

/// Rows are filled on all ranks, ended on all ranks, and come to rank 0 many at a time: part() of
/// every rank goes to merge(), and take() gives the finished rows.
class MetricLog {
 public:
  /// Number of a metric.
  using Id = std::size_t;
  /// Means are summed in these units; a larger number, or NaN, counts as `most_mean`.
  static constexpr double mean_unit = 0x1p-32;
  static constexpr double most_mean = 0x1p14;

  /// Adds a metric, whose name no other one has. Those of the kinds mean, least, most and sum are
  /// declared on all ranks in one order.
  Id declare(const Metric& metric);
  std::span<const Metric> metrics() const { return metrics_; }
  /// Number of the metric of this name, which must be there.
  Id find(std::string_view name) const;

  /// Sets a gauge of the row that is being filled.
  void set(Id id, double value);
  void set(std::string_view name, double value) { set(find(name), value); }
  /// Gives a mean, least or most one more number.
  void observe(Id id, double value);
  /// Counts so many more.
  void add(Id id, std::uint64_t more);
  /// Sets a count that somebody else keeps.
  void set_count(Id id, std::uint64_t count);

  /// What this rank has counted and seen in the row that is being filled.
  struct Filled {
    std::vector<double> part;
    std::vector<std::uint64_t> units;
  };
  /// Takes it out, so that the row begins anew.
  Filled set_aside();
  /// Puts it back, in place of what has been filled in meanwhile.
  void put_back(Filled filled);

  /// Ends the row that was filled.
  void end_row(std::int64_t round);
  /// Rows that have ended and were not taken, and what this rank has to say of them.
  std::size_t rows() const { return round_.size(); }
  std::int64_t last_round() const { return round_.back(); }
  std::span<const double> part() const { return part_; }
  /// Rank 0: takes in such a part of a rank, its own included.
  void merge(std::span<const double> part);
  /// Hands the rows to `visit` on rank 0, where all parts have been merged.
  template <class Visit>
  void take(Visit visit) {
    for (std::size_t row = 0; row < rows(); ++row) visit(finish(row));
    drop();
  }
  /// Forgets the rows, elsewhere.
  void drop();
  /// What a restart must find again, on rank 0.
  void persist(State& state) { state.values(total_); }

 private:
  MetricRow finish(std::size_t row);
  double* filled(Id id) { return filling_.data() + first_[id]; }

  std::vector<Metric> metrics_;
  std::vector<std::size_t> first_;    ///< by metric: of its numbers among those of a part's row
  std::vector<std::uint64_t> total_;  ///< by metric: count so far
  std::vector<std::uint64_t> units_;  ///< by metric: sum of a mean in this row
  std::vector<double> neutral_;       ///< a part's row of which nothing is known
  std::vector<double> filling_;       ///< this rank's part of the row that is being filled
  std::vector<Cell> cells_;           ///< rank 0's own values of it
  std::vector<std::int64_t> round_;   ///< of the rows that have ended
  std::vector<Cell> ended_;           ///< their cells
  std::vector<double> part_, merged_;
};

}  // namespace trilemma
