#pragma once

namespace trilemma {

/// The most memory that this process has held so far, in bytes (resident set, VmHWM of Linux); NaN
/// where the system does not tell. Unlike getrusage(), it knows nothing of the process that has
/// started this one.
double peak_memory();

}  // namespace trilemma
