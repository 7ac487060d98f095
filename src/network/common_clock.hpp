#pragma once

#include "comm/communicator.hpp"

namespace trilemma {

/// Rank 0's clock, known to all ranks, and a start at the same moment: a barrier lets ranks go as
/// much as a latency apart, as long as a short call takes (Hunold and Carpen-Amarie, "Reproducible
/// MPI Benchmarking Is Still Not as Easy as You Think", IEEE TPDS 27, 2016). All calls are
/// collective.
class CommonClock {
 public:
  explicit CommonClock(const Communicator& ranks) : ranks_(ranks) {}

  /// Waits for a moment that rank 0 chooses and returns it, in its seconds. Clocks are compared
  /// again before where that is some time ago.
  double start();
  /// Seconds of rank 0's clock.
  double now() const;
  /// Whether this rank was there before the moment of the last start.
  bool was_in_time() const { return in_time_; }
  /// Some rank was not: gives all of them more time from now on.
  void allow_more_time() { ahead_ *= 2; }

 private:
  void compare();

  const Communicator& ranks_;
  double offset_ = 0;     ///< of rank 0's clock to this one's
  double compared_ = 0;   ///< when, by rank 0's clock
  double duration_ = 0;   ///< of that
  double ahead_ = 20e-6;  ///< between the choice of a moment and the moment
  bool is_compared_ = false, in_time_ = false;
};

}  // namespace trilemma
