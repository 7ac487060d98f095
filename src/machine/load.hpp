#pragma once
// Measures during the rounds what the ranks and others use of the processors, as Linux counts it.

#include <span>
#include <string_view>
#include <vector>

#include "machine/processors.hpp"
#include "machine/time_record.hpp"

namespace trilemma {

/// Processor seconds since the machine was started; NaN = unknown.
struct ProcessorSeconds {
  double busy = 0;    ///< spent by processes and by the kernel
  double stolen = 0;  ///< taken by the hypervisor while something was to be computed
};
/// Returns the sums over `which` from `stat`, a text in the format of /proc/stat, with
/// `ticks_per_second`.
ProcessorSeconds processor_seconds(std::string_view stat, const Processors& which,
                                   double ticks_per_second);

/// What was used up to a point in time; NaN = unknown.
struct CpuUse {
  double at = 0;  ///< of the steady clock, in seconds
  ProcessorSeconds machine;
  double own = 0;      ///< processor seconds of this process
  double waiting = 0;  ///< seconds that its main thread was ready and had no processor
};
/// Reads the use of the processors `which` and of this process; takes some 0.1 ms.
CpuUse cpu_use(const Processors& which);

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
