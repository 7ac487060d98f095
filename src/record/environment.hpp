#pragma once
// The machine and the launch of this process, for /environment of the run file.

#include <string>
#include <string_view>

namespace trilemma {

/// Model of the processor, as the operating system names it.
std::string cpu_model();
/// Current time, UTC: "2026-01-31T12:00:00Z".
std::string utc_now();
/// The environment variables whose names begin with `prefix`, as lines "NAME=value".
std::string variables(std::string_view prefix);

}  // namespace trilemma
