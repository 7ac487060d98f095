#pragma once
// Saves a run between two rounds and brings it back. Collective over all ranks.

#include "driver/driver.hpp"
#include "record/checkpoint_file.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// Decides when, and moves the state of all ranks between their parts and a file of rank 0.
class Checkpointer {
 public:
  /// Rank 0 passes the run file, the others nullptr.
  Checkpointer(const CheckpointPlan& plan, Assembly& parts, Ranks& ranks, RunFile* file,
               Driver& driver);

  /// True where the number of rounds asks for a checkpoint.
  bool due_by_rounds() const;
  /// The same after so many rounds.
  bool is_due_at(std::uint32_t step) const;
  /// True, on rank 0, where the time since the last one does. Where checkpoints take long they
  /// become rarer, so that they never cost more than some percent of the time.
  bool due_by_time() const;
  /// Writes one. All rows must have reached the run file.
  void save();
  /// Takes the state of one; rank 0 passes the reader, the others nullptr.
  void restore(const CheckpointReader* checkpoint);

 private:
  void persist_server(State& state);

  CheckpointPlan plan_;
  Assembly& parts_;
  Ranks& ranks_;
  RunFile* file_;
  Driver& driver_;
  double saved_;         ///< time of the last one, or of the start
  double duration_ = 0;  ///< of the last one, seconds
};

}  // namespace trilemma
