#pragma once
// Saves the state of a run between two rounds and restores it. Collective over all ranks.

#include "driver/driver.hpp"
#include "record/checkpoint_file.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// Decides when checkpoints are due, and moves the state of all ranks to and from a file of rank 0.
class Checkpointer {
 public:
  /// Rank 0 passes the run file, the others nullptr.
  Checkpointer(const CheckpointPlan& plan, Assembly& parts, Ranks& ranks, RunFile* file,
               Driver& driver);

  /// Returns whether the number of rounds requires a checkpoint now.
  bool due_by_rounds() const;
  /// Returns whether the number of rounds requires a checkpoint after `step` rounds.
  bool is_due_at(std::uint32_t step) const;
  /// Returns, on rank 0, whether the time since the last checkpoint requires one. If checkpoints
  /// take long they become rarer, so that they never take more than a few percent of the time.
  bool due_by_time() const;
  /// Writes a checkpoint. All rows must have been written to the run file.
  void save();
  /// Restores the state of a checkpoint; rank 0 passes the reader, the others nullptr.
  void restore(const CheckpointReader* checkpoint);

 private:
  void persist_server(State& state);

  CheckpointPlan plan_;
  Assembly& parts_;
  Ranks& ranks_;
  RunFile* file_;
  Driver& driver_;
  double saved_;         ///< time of the last checkpoint, or of the start
  double duration_ = 0;  ///< duration of the last checkpoint, in seconds
};

}  // namespace trilemma
