#pragma once
// Checks of a run file against its own configuration.

#include <functional>
#include <limits>

#include "base/metric_log.hpp"
#include "claim/claim.hpp"
#include "claim/difference.hpp"
#include "experiment/plan.hpp"
#include "record/field.hpp"
#include "record/run_reader.hpp"
#include "record/summary.hpp"

namespace trilemma {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double no_limit = std::numeric_limits<double>::infinity();
/// Values of a data set of one dimension, by row.
using ColumnValues = std::vector<double>;

/// Inputs of the checks of a run file, and the differences found. Wrong values of one data set are
/// reported as one difference, at the first wrong row.
class FileCheck {
 public:
  FileCheck(const h5::Group& open_file, const Summary& summary, const Plan& recorded,
            const Claim& follows);

  const h5::Group& file;
  const Summary& run;
  const Plan& plan;
  const Claim& claim;
  const Provenances withheld;    ///< values that privacy.strict keeps out of the file
  std::size_t rows = 0;          ///< number of rows of /rounds
  unsigned real_bits = 0;        ///< bits of a coordinate of the model
  bool is_replay = false;        ///< a replay, on the simulated clock, of a run in real time
  std::vector<Metric> metrics;   ///< metrics that this program declares for such a run
  bool is_own_revision = false;  ///< whether its program was built from the same commit
  bool same_width = false;       ///< whether its program and this one use the same `real`
  std::vector<double> ranks;     ///< number of ranks of each start

  /// Returns the metric of a column, nullptr if such a run declares none: "rounds/epsilon".
  const Metric* metric(const std::string& name) const;
  bool has(const std::string& name) const { return file.has_member(name); }
  /// Returns a numeric data set of one dimension, such as "rounds/epsilon"; those of /rounds and
  /// /mpi have `rows` values. Reports a different length, and a missing column (unless
  /// privacy.strict may omit it); the result is then empty.
  ColumnValues column(const std::string& name);
  /// Returns whether the file has a group or data set that every run file must have; reports it if
  /// it is missing.
  bool require_member(const std::string& name);

  void report(Difference difference) { found_.push_back(std::move(difference)); }
  /// Reports a recorded value that differs from the expected one.
  void expect(const std::string& field, double recorded, double expected, double tolerance = 1e-9);
  void expect(const std::string& field, const std::string& recorded, const std::string& expected);
  void expect(const std::string& field, const FieldValue& recorded, const FieldValue& expected);
  /// Reports a value that differs from `there`, the value at `place` in the file.
  void expect_as(const std::string& place, const std::string& field, double recorded, double there,
                 double tolerance = 1e-9);
  /// Reports a value outside the range from `least` to `most`. NaN lies in no range.
  void limit(const std::string& field, double recorded, double least, double most,
             std::optional<std::uint64_t> row = {});
  /// Does the same for a number that a field may have; NaN, "not known", is good.
  void limit(const std::string& field, const FieldValue& recorded, double least, double most);
  /// Reports the first row for which `what` returns a difference; field and row are filled in here.
  using RowCheck = std::function<std::optional<Difference>(std::size_t row)>;
  void check_rows(const std::string& name, std::size_t count, const RowCheck& what);

  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

/// Checks the attributes of `object` that `fields` declare: all are there except optional ones,
/// numbers lie in their ranges, and values that are compared `exactly` are those of `follows`, if
/// it is given. `place` precedes the names in reports: "/partition@".
template <class Record>
void check_fields(FileCheck& check, const h5::Object& object, const std::string& place,
                  const Fields<Record>& fields, const Record* follows = nullptr) {
  for (const auto& field : fields) {
    const std::string name = place + field.name;
    if (!object.has_attribute(field.name)) {
      if (!field.is_optional) check.report({.kind = Mismatch::missing, .field = name});
      continue;
    }
    const FieldValue value = read_value(object, field.name, field.type);
    check.limit(name, value, field.least, field.most);
    if (follows != nullptr && field.compared == Compared::exactly)
      check.expect(name, value, field.get(*follows));
  }
}

/// Returns a difference of `kind`, for check_rows().
Difference wrong(Mismatch kind, double recorded, double expected);

/// Returns the difference of `value` from the range that the configuration allows; nullopt inside
/// the range. A range of one value means that the configuration determines the value.
std::optional<Difference> outside_of(double value, double least, double most,
                                     double tolerance = 1e-9);

// The checks, each of a part of the file. They report to `check`.

/// Checks the columns of /rounds and /mpi: signs, growth, which rows are evaluated, and the
/// relations between columns.
void check_columns(FileCheck& check);
/// Checks the values of every round that follow from configuration and seed alone: messages, bits,
/// the simulated clock; for a run in real time, those that follow from its contacts.
void check_foreseen(FileCheck& check);
/// Checks the numbers of records, and the fields that summarise them.
void check_partition(FileCheck& check);
/// Checks the models: sizes, finite numbers, and the start model if the seed determines it.
void check_models(FileCheck& check);
/// Checks fingerprint, checksums of the files, environment.
void check_identity(FileCheck& check);
/// Checks phases, starts, checkpoints, and the times of all of them.
void check_times(FileCheck& check);

}  // namespace trilemma
