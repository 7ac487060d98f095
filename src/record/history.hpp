#pragma once
// History of a run: its starts and its checkpoints (/starts and /checkpoints of the run file).

#include <array>

#include "h5/h5.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

/// One start of a run: the first, or one that resumed from a checkpoint.
struct StartRecord {
  std::int64_t round = 0;  ///< rounds done before this start
  std::int64_t ranks = 1;
  std::string environment;  ///< lines "name: text": /environment at this start
};

/// Returns the record of a start of the run `id` after `round` rounds.
StartRecord start_record(const RunIdentity& id, std::int64_t round);

/// One checkpoint of a run.
struct CheckpointRecord {
  std::int64_t round = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< time on rank 0, including the gathering of client states
};

/// The groups /starts and /checkpoints of a run file that is being written.
class History {
 public:
  History() = default;
  /// Creates the two groups in a new file.
  static History create(const h5::Group& file);
  /// Opens the two groups of a file that is continued.
  static History open(const h5::Group& file);

  void add(const StartRecord& start);
  void add(const CheckpointRecord& checkpoint);
  /// Closes the data sets. Throws an error that names `what` if this fails.
  void close(const std::string& what);
  /// Forgets the data sets without closing them, for a file that can no longer be written.
  void leak();

 private:
  std::array<h5::Dataset*, 6> all() {
    return {&start_round_, &start_ranks_, &start_environment_, &round_, &bytes_, &seconds_};
  }

  h5::Dataset start_round_, start_ranks_, start_environment_;
  h5::Dataset round_, bytes_, seconds_;
};

}  // namespace trilemma
