#pragma once
// What this process may use of the machine: limits of its control groups (a job, a container) and
// of `ulimit`. `root` is the folder that holds proc and sys; "" for the machine itself.

#include <string>

namespace trilemma {

/// Returns the cores that the control group of this process and the groups around it grant it, the
/// smallest number of them; infinity without a limit.
double granted_cores(const std::string& root = "");

/// Returns the largest memory of this process in bytes: that of the machine, of its control group
/// and the groups around it, or of `ulimit -v`, whichever is smallest.
double memory_limit(const std::string& root = "");

/// Throws UserError if `bytes` exceed the largest memory of this process: "WHAT would take at least
/// 80 GB, and this process can have 24 GB at most; REMEDY".
void require_memory(const std::string& what, double bytes, const std::string& remedy);

/// Returns the peak memory of this process in bytes (resident set, VmHWM of Linux); NaN if the
/// system does not report it. Unlike getrusage(), it does not include the process that started this
/// one.
double peak_memory();

}  // namespace trilemma
