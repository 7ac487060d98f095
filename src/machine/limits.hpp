#pragma once
// What this process may use of the machine: limits of its control group (a job, a container) and
// of `ulimit`.

#include <string>

namespace trilemma {

/// Returns the cores that the control group of this process grants it; infinity without a limit.
double granted_cores();

/// Returns the largest memory of this process in bytes: that of the machine, of its control group
/// or of `ulimit -v`, whichever is smallest.
double memory_limit();

/// Throws UserError if `bytes` exceed the largest memory of this process: "WHAT would take at least
/// 80 GB, and this process can have 24 GB at most; REMEDY".
void require_memory(const std::string& what, double bytes, const std::string& remedy);

/// Returns the peak memory of this process in bytes (resident set, VmHWM of Linux); NaN if the
/// system does not report it. Unlike getrusage(), it does not include the process that started this
/// one.
double peak_memory();

}  // namespace trilemma
