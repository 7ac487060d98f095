#pragma once
// How a run came about: the starts it took and the checkpoints it wrote (/starts and /checkpoints
// of the run file).

#include <array>

#include "h5/h5.hpp"
#include "record/run_identity.hpp"

namespace trilemma {

/// One start of a run: the first, or one that resumed from a checkpoint.
struct StartRecord {
  std::int64_t round = 0;  ///< rounds that were done before
  std::int64_t ranks = 1;
  std::string environment;  ///< lines "name: text" of everything that is about this start
};

/// Returns the record of this start of a run, which need not be the first, after `round` rounds.
StartRecord start_record(const RunIdentity& id, std::int64_t round);

/// One checkpoint that was written.
struct CheckpointRecord {
  std::int64_t round = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< on rank 0, gathering included
};

/// The groups /starts and /checkpoints of a run file that is being written.
class History {
 public:
  History() = default;
  /// Makes the two groups in a new file.
  static History create(const h5::Group& file);
  /// Finds them in a file that is continued.
  static History open(const h5::Group& file);

  void add(const StartRecord& start);
  void add(const CheckpointRecord& checkpoint);
  /// Gives the data sets back and reports failure, or forgets them where the file cannot be written
  /// any more.
  void close(const std::string& what);
  void leak();

 private:
  std::array<h5::Dataset*, 6> all() {
    return {&start_round_, &start_ranks_, &start_environment_, &round_, &bytes_, &seconds_};
  }

  h5::Dataset start_round_, start_ranks_, start_environment_;
  h5::Dataset round_, bytes_, seconds_;
};

}  // namespace trilemma
