#pragma once
// Measures during the rounds what the ranks and others use of the processors.

#include <span>
#include <vector>

#include "base/cpu_use.hpp"
#include "record/time_record.hpp"

namespace trilemma {

/// What a rank measured from the start of its rounds.
struct RankLoad {
  Processors usable;
  double granted = 0;  ///< cores of its control group
  double seconds = 0;
  ProcessorSeconds machine;  ///< of the usable processors
  double own = 0, waiting = 0;

  /// Return these values as numbers, which ranks send to each other, and the values of such
  /// numbers.
  std::vector<double> packed() const;
  static RankLoad unpacked(std::span<const double> numbers);
  static std::size_t packed_size();
};

/// Measures the load of one rank. Reads the system only in start() and load().
class LoadMeter {
 public:
  void start();
  RankLoad load() const;

 private:
  Processors usable_;
  double granted_ = 0;
  CpuUse begin_;
};

/// Returns the record of one start with `rounds` rounds, from the loads of the ranks and the node
/// of each.
TimeRecord time_record(const std::vector<RankLoad>& ranks, const std::vector<std::int64_t>& node,
                       std::int64_t rounds);

}  // namespace trilemma
