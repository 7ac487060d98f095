#pragma once
// Use of the processors of this machine, as Linux counts it.

#include <bitset>
#include <string_view>

namespace trilemma {

/// Processors by their number in Linux.
using Processors = std::bitset<1024>;

/// Returns the processors on which this process may run; none if the system does not report them.
Processors usable_processors();

/// Returns the cores that the control group of this process grants it (a container); infinity
/// without a limit.
double granted_cores();

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

}  // namespace trilemma
