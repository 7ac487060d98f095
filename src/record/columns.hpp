#pragma once
// The columns of a run file: a data set for each metric of a metric log.

#include "base/metric_log.hpp"
#include "h5/h5.hpp"

namespace trilemma {

/// Names of the attributes of a column, besides `units` and `description`, and of the group.
namespace metric_attributes {
inline constexpr const char* provenance = "provenance";  ///< names of its Provenances
inline constexpr const char* better = "better";          ///< "higher", "lower" or "neither"
inline constexpr const char* shown = "shown";            ///< 1 where `trilemma show` prints it
/// Of /rounds and /mpi: names of all columns, and of those that privacy.strict withholds.
inline constexpr const char* columns = "columns";
inline constexpr const char* withheld = "withheld";
}  // namespace metric_attributes

/// Place of a metric in a row. Throws LibraryError where there is none of the name.
std::size_t cell_of(std::string_view name, std::span<const Metric> metrics);

/// The rows of a run on their way to the disk.
class Columns {
 public:
  /// Takes these metrics except those made of anything withheld.
  Columns(std::span<const Metric> metrics, Provenances withheld);

  /// Makes the data sets of a new file, or finds them in one that is continued.
  void create(const h5::Group& file);
  void open(const h5::Group& file);

  void add(const MetricRow& row);
  /// Rows that were added and not written.
  std::size_t pending() const { return round_.size(); }
  void write();
  /// Gives the data sets back and reports failure, or forgets them where the file cannot be written
  /// any more.
  void close(const std::string& what);
  void leak();

 private:
  struct Column {
    std::size_t cell;  ///< of a row
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
