#pragma once
// The run file (docs/reference/run-file.md): one HDF5 file per run, written as `path` + ".partial"
// and renamed at the end.

#include <memory>
#include <string>
#include <vector>

#include "base/metric_log.hpp"
#include "machine/time_record.hpp"
#include "record/contact_log.hpp"
#include "record/history.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

class CheckpointReader;
class CheckpointWriter;

/// Writes the file of a run, on rank 0.
class RunFile {
 public:
  /// Creates and locks `path` + ".partial", with a column for each metric that `identity` does not
  /// withhold. With `overwrite`, finish() replaces a run file at `path`, if `replaced` is given
  /// only one with this fingerprint. Throws UserError if `path` cannot be written or something else
  /// exists there.
  RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
          const std::vector<std::string>& phases, bool overwrite = false,
          const std::string& replaced = {});
  /// Continues the run file in a checkpoint of this experiment; `overwrite` and `replaced` as
  /// above.
  RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
          const CheckpointReader& checkpoint, bool overwrite = false,
          const std::string& replaced = {});
  ~RunFile();
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  /// Continues as the run `identity`, which has more rounds. `epsilon` is the column
  /// `epsilon_spent` of the rows so far, by the new claim.
  void renew(const RunIdentity& identity, const std::vector<double>& epsilon);
  /// Adds a row. Rows are written to the disk in blocks.
  void add(const MetricRow& row);
  /// Adds the accuracies by class of an evaluated state, unless test scores are withheld.
  void add_class_accuracy(std::int64_t round, const std::vector<double>& accuracy);
  /// Records a checkpoint.
  void add(const CheckpointRecord& checkpoint);
  /// Writes the contacts so far, in place of those written before.
  void add_contacts(const ContactLog& log);
  /// Records whether the times of this start are evidence, together with those of earlier starts;
  /// replaces what was recorded of this start before.
  void set_times(const TimeRecord& start);
  /// Adds the phase times of `rows` rounds in seconds: rows x ranks x phases.
  void add_phases(const std::vector<double>& seconds, std::size_t rows);
  /// Returns whether the identity of the first start records energy.
  bool records_energy() const;
  /// Adds the energy of these rounds in joules, rows x phases, to a file that records it.
  void add_energy(const std::vector<double>& joules, std::size_t rows);
  /// Calls flush() if the last flush was some time ago.
  void flush_if_due();
  /// Writes pending rows and flushes the file, so that others can read them.
  void flush();
  /// Writes the final model and the peak memory of each rank in bytes (if given), marks the file
  /// complete and renames it to path().
  void finish(ConstView model, std::span<const double> memory = {});
  /// Records why the run ended early, unless values computed by clients are withheld. The partial
  /// file remains.
  void fail(const std::string& reason, ConstView model);
  /// Closes the partial file without a reason: the run continues later from a checkpoint.
  void suspend();
  /// Returns the seconds of all rounds, including those before a restart.
  double wall_seconds() const;

  /// Stops writing to a file that can no longer be written. What was flushed stays on the disk.
  void abandon();

  /// Flushes the file and begins a checkpoint after `round`.
  std::unique_ptr<CheckpointWriter> checkpoint(std::int64_t round);

  const std::string& partial_path() const;
  const std::string& path() const;

 private:
  void begin(const RunIdentity& identity, const std::vector<std::string>& phases);
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace trilemma
