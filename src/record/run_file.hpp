#pragma once
// The run file (docs/run-file.md): one HDF5 file per run, written beside its name and renamed at
// the end.

#include <memory>
#include <string>
#include <vector>

#include "base/metric_log.hpp"
#include "record/contact_log.hpp"
#include "record/history.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

class CheckpointReader;
class CheckpointWriter;

class RunFile {
 public:
  /// Creates `path` + ".partial", with a column for each metric that the identity lets be told, and
  /// keeps others from writing to it. Refuses, before the run
  /// starts, a path that cannot be written or where something stands that is not a run file; a run
  /// file is replaced at the end if `overwrite` says so, and only one of the fingerprint `replaced`
  /// where that is given.
  RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
          const std::vector<std::string>& phases, bool overwrite = false,
          const std::string& replaced = {});
  /// Continues with the rows of a checkpoint of this experiment, from its round on; a run file is
  /// replaced at the end as by a new one.
  RunFile(std::string path, const RunIdentity& identity, std::span<const Metric> metrics,
          const CheckpointReader& checkpoint, bool overwrite = false,
          const std::string& replaced = {});
  ~RunFile();
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  /// Continues as another run than the file was begun as: one of more rounds. `epsilon` is what its
  /// rows so far have spent under the claim that holds from now on.
  void renew(const RunIdentity& identity, const std::vector<double>& epsilon);
  /// Adds a row; rows reach the disk in blocks.
  void add(const MetricRow& row);
  /// Adds the accuracies by class of an evaluated state, unless test scores are withheld.
  void add_class_accuracy(std::int64_t round, const std::vector<double>& accuracy);
  /// Notes a checkpoint that was written.
  void add(const CheckpointRecord& checkpoint);
  /// Writes whom the server has met, in place of what was written of that before.
  void add_contacts(const ContactLog& log);
  /// Adds phase seconds of `rows` rounds: rows x ranks x phases.
  void add_phases(const std::vector<double>& seconds, std::size_t rows);
  /// Writes what is pending and makes it readable for others if the last time was long enough ago.
  void flush_if_due();
  void flush();
  /// Writes the final model and the most memory of each rank in bytes (if given), marks the file
  /// complete and gives it its name.
  void finish(ConstView model, std::span<const double> memory = {});
  /// Records why the run ended early, unless values computed by clients are withheld; the partial
  /// file remains.
  void fail(const std::string& reason, ConstView model);
  /// Leaves the partial file as it is, on the disk: a checkpoint has the state.
  void suspend();
  /// Seconds of the rounds, those before a restart included.
  double wall_seconds() const;

  /// Gives the file up where it cannot be written any more; what was flushed stays on the disk.
  void abandon();

  /// Starts a checkpoint of what has been added so far.
  std::unique_ptr<CheckpointWriter> checkpoint(std::int64_t round);

  const std::string& partial_path() const;
  const std::string& path() const;

 private:
  void begin(const RunIdentity& identity, const std::vector<std::string>& phases);
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace trilemma
