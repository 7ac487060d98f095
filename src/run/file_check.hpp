#pragma once
// A run file that is compared with its own configuration.

#include <functional>
#include <limits>

#include "claim/claim.hpp"
#include "claim/difference.hpp"
#include "plan/plan.hpp"
#include "record/run_reader.hpp"
#include "summary/summary.hpp"

namespace trilemma {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double no_limit = std::numeric_limits<double>::infinity();
/// Of a data set of one dimension, by row.
using ColumnValues = std::vector<double>;

/// What the checks of a run file look at, and what they have found. Values of one data set that are
/// wrong are one difference, at the first of their rows.
class FileCheck {
 public:
  FileCheck(const h5::Handle& open_file, const Summary& summary, const Plan& recorded,
            const Claim& follows);

  const h5::Handle& file;
  const Summary& run;
  const Plan& plan;
  const Claim& claim;
  std::size_t rows = 0;       ///< of /rounds
  unsigned real_bits = 0;     ///< of a coordinate of the model
  bool is_replay = false;     ///< of a run in real time, made again on the simulated clock
  bool same_width = false;    ///< its program computed with the numbers of this one
  std::vector<double> ranks;  ///< of each start

  bool has(const std::string& name) const { return h5::has_member(file.get(), name); }
  /// A data set of numbers of one dimension, "rounds/epsilon"; those of /rounds and /mpi have
  /// `rows` values. Reports another length, and a column that is missing (unless privacy.strict may
  /// keep it back); then it is empty.
  ColumnValues column(const std::string& name);
  /// A group or data set that every run file has; reports one that is missing.
  bool require_member(const std::string& name);

  void report(Difference difference) { found_.push_back(std::move(difference)); }
  /// Report a value that is not the expected one.
  void expect(const std::string& field, double recorded, double expected, double tolerance = 1e-9);
  void expect(const std::string& field, const std::string& recorded, const std::string& expected);
  /// Reports a value that the file contradicts at `place`.
  void expect_as(const std::string& place, const std::string& field, double recorded, double there,
                 double tolerance = 1e-9);
  /// Reports a value outside of a range. NaN lies in none.
  void limit(const std::string& field, double recorded, double least, double most,
             std::optional<std::uint64_t> row = {});
  /// Reports the first row that a check finds fault with: `what` returns the difference, without
  /// field and row.
  using RowCheck = std::function<std::optional<Difference>(std::size_t row)>;
  void check_rows(const std::string& name, std::size_t count, const RowCheck& what);

  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

/// A difference of the kind, for check_rows().
Difference wrong(Mismatch kind, double recorded, double expected);

/// The difference of a value to a range that the configuration leaves; nothing inside of it. A
/// range of one value is what follows.
std::optional<Difference> outside_of(double value, double least, double most,
                                     double tolerance = 1e-9);

// The checks, each of a part of the file. They report to `check`.

/// The columns of /rounds and /mpi: their signs and growth, which rows are evaluated, what relates
/// one to another.
void check_columns(FileCheck& check);
/// What follows for every round from configuration and seed alone: messages, bits, the simulated
/// clock; of a run in real time from its contacts.
void check_foreseen(FileCheck& check);
/// Numbers of records, and what sums them up.
void check_partition(FileCheck& check);
/// The models: sizes, finite numbers, the start where the seed tells it.
void check_models(FileCheck& check);
/// Fingerprint, checksums of the files, environment.
void check_identity(FileCheck& check);
/// Phases, starts, checkpoints, and the time of them all.
void check_times(FileCheck& check);

}  // namespace trilemma
