#pragma once
// Facts about the machine and the launch of this process, for /environment of the run file.

#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Returns the model of the processor, as the operating system names it.
std::string cpu_model();
/// Returns the current time in UTC: "2026-01-31T12:00:00Z".
std::string utc_now();
/// Returns the environment variables whose names begin with `prefix`, each as "NAME=value", without
/// those that may hold credentials (SLURM_JWT and names with TOKEN, SECRET, PASSWORD or KEY).
std::vector<std::string> variable_lines(std::string_view prefix);
/// Returns the same as lines of one text.
std::string variables(std::string_view prefix);

}  // namespace trilemma
