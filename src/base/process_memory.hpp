#pragma once

#include <string>

namespace trilemma {

/// Returns how much memory this process can have at most, in bytes: that of the machine, of its
/// control group (a job, a container) or of `ulimit -v`, whichever is least.
double memory_limit();

/// Refuses what needs at least `bytes` bytes where that is more than the process can have: "WHAT
/// would take at least 80 GB, and this process can have 24 GB at most; REMEDY".
void require_memory(const std::string& what, double bytes, const std::string& remedy);

/// The most memory that this process has held so far, in bytes (resident set, VmHWM of Linux); NaN
/// where the system does not tell. Unlike getrusage(), it knows nothing of the process that has
/// started this one.
double peak_memory();

}  // namespace trilemma
