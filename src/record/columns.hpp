#pragma once
// The columns of a run file: a data set for each metric of a metric log.

#include "base/metric_log.hpp"
#include "record/field.hpp"

namespace trilemma {

/// Names of attributes of a column, and of its group.
namespace metric_attributes {
inline constexpr const char* provenance = "provenance";  ///< names of the metric's provenances
inline constexpr const char* shown = "shown";            ///< 1 where `trilemma show` prints it
/// Attributes of /rounds and /mpi: names of the columns, and of those that privacy.strict
/// withholds.
inline constexpr const char* columns = "columns";
inline constexpr const char* withheld = "withheld";
}  // namespace metric_attributes

/// Returns the attributes of a column, all of which follow from the declaration of its metric.
const Fields<Metric>& metric_fields();

/// Returns the index of the metric called `name` in a row. Throws LibraryError if there is none.
std::size_t cell_of(std::string_view name, std::span<const Metric> metrics);

/// Writes the metrics of a run to /rounds and /mpi, one row per state.
class Columns {
 public:
  /// Prepares a column for each of `metrics` except those with a provenance in `withheld`.
  Columns(std::span<const Metric> metrics, Provenances withheld);

  /// Creates the data sets in a new file.
  void create(const h5::Group& file);
  /// Opens the data sets of a file that is continued.
  void open(const h5::Group& file);

  /// Adds a row, which write() brings to the file.
  void add(const MetricRow& row);
  /// Returns the number of rows that are not yet written.
  std::size_t pending() const { return round_.size(); }
  /// Appends the rows added since the last call to the data sets.
  void write();
  /// Closes the data sets. Throws an error that names `what` if this fails.
  void close(const std::string& what);
  /// Forgets the data sets without closing them, for a file that can no longer be written.
  void leak();

 private:
  struct Column {
    std::size_t cell;  ///< index in a row
    Metric metric;
    std::vector<Cell> pending;
    h5::Dataset set;

    h5::Number type() const;
  };

  std::vector<std::int64_t> round_;
  h5::Dataset round_set_;
  std::vector<Column> columns_;
  std::vector<Metric> withheld_;
};

}  // namespace trilemma
