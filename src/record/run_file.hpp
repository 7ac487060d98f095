#pragma once
// The run file (docs/run-file.md): one HDF5 file per run, written beside its name and renamed at
// the end.

#include <memory>
#include <string>
#include <vector>

#include "record/history.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

/// One state of the model: row t is the state after t rounds; counts are cumulative.
struct RunRow {
  std::int64_t round = 0;
  double objective, gradient_norm_squared, utility, accuracy, epsilon;  ///< NaN = not evaluated
  double test_error = 0;
  double client_mean = 0, client_weighted = 0;
  double client_tenth = 0, client_median = 0, client_ninetieth = 0;
  double finetuned_mean = 0, finetuned_weighted = 0;
  double finetuned_tenth = 0, finetuned_median = 0, finetuned_ninetieth = 0;
  double suboptimality = 0;  ///< NaN = not evaluated, or the optimum is not known
  double distance = 0;       ///< to the optimum, likewise
  double drift = 0;          ///< NaN where clients take no steps, or none took part
  double mean_norm = 0, noise_norm = 0, least_norm = 0, most_norm = 0;  ///< of the round's updates
  std::uint64_t bits_up_model = 0, bits_up_payload = 0;
  std::uint64_t bits_down_model = 0, bits_down_payload = 0;
  std::uint64_t batch_records = 0, messages = 0, clipped = 0, not_finite = 0;
  std::uint64_t mpi_bits_up = 0, mpi_bits_down = 0;
  std::uint64_t mpi_bits_evaluation = 0, mpi_bits_control = 0;
};

class CheckpointReader;
class CheckpointWriter;

class RunFile {
 public:
  /// Creates `path` + ".partial" and keeps others from writing to it. Refuses, before the run
  /// starts, a path that cannot be written or where something stands that is not a run file; a run
  /// file is replaced at the end if `overwrite` says so, and only one of the fingerprint `replaced`
  /// where that is given.
  RunFile(std::string path, const RunIdentity& identity, const std::vector<std::string>& phases,
          bool overwrite = false, const std::string& replaced = {});
  /// Continues with the rows of a checkpoint of this experiment, from its round on; a run file is
  /// replaced at the end as by a new one.
  RunFile(std::string path, const RunIdentity& identity, const CheckpointReader& checkpoint,
          bool overwrite = false, const std::string& replaced = {});
  ~RunFile();
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  /// Continues as another run than the file was begun as: one of more rounds. `epsilon` is what its
  /// rows so far have spent under the claim that holds from now on.
  void renew(const RunIdentity& identity, const std::vector<double>& epsilon);
  /// Adds a row; rows reach the disk in blocks.
  void add(const RunRow& row);
  /// Notes a checkpoint that was written.
  void add(const CheckpointRecord& checkpoint);
  /// Adds phase seconds of `rows` rounds: rows x ranks x phases.
  void add_phases(const std::vector<double>& seconds, std::size_t rows);
  /// Writes what is pending and makes it readable for others if the last time was long enough ago.
  void flush_if_due();
  void flush();
  /// Largest norm of a bounded gradient in the run; 0 = none was bounded.
  void set_bound_observed(double norm);
  /// Writes the final model, marks the file complete and gives it its name.
  void finish(ConstView model);
  /// Records why the run ended early; the partial file stays.
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
