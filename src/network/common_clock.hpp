#pragma once

#include "comm/communicator.hpp"

namespace trilemma {

/// Rank 0's clock on all ranks, for calls that start on all ranks at the same moment. A barrier
/// releases ranks up to a latency apart, which is as long as a short call takes (Hunold and
/// Carpen-Amarie, "Reproducible MPI Benchmarking Is Still Not as Easy as You Think", IEEE TPDS 27,
/// 2016). All calls are collective.
class CommonClock {
 public:
  explicit CommonClock(const Communicator& ranks) : ranks_(ranks) {}

  /// Waits for a moment chosen by rank 0 and returns it in seconds of rank 0's clock. Compares the
  /// clocks again first if the last comparison is too old.
  double start();
  /// Returns the time of rank 0's clock in seconds.
  double now() const;
  /// Returns whether this rank was ready before the moment of the last start.
  bool was_in_time() const { return in_time_; }
  /// Gives all ranks more time before each start, after a rank was late.
  void allow_more_time() { ahead_ *= 2; }

 private:
  void compare();

  const Communicator& ranks_;
  double offset_ = 0;     ///< offset of rank 0's clock from this rank's clock
  double compared_ = 0;   ///< time of the last comparison, by rank 0's clock
  double duration_ = 0;   ///< duration of that comparison
  double ahead_ = 20e-6;  ///< time between choosing a moment and the moment itself
  bool is_compared_ = false, in_time_ = false;
};

}  // namespace trilemma
