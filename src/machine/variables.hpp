#pragma once
// Environment variables of this process, and the time of its start, for /environment of the run
// file.

#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Returns the current time in UTC: "2026-01-31T12:00:00Z".
std::string utc_now();
/// Returns the environment variables whose names begin with `prefix`, each as "NAME=value", without
/// those that may hold credentials (SLURM_JWT and names with TOKEN, SECRET, PASSWORD or KEY).
std::vector<std::string> variable_lines(std::string_view prefix);
/// Returns the same as lines of one text.
std::string variables(std::string_view prefix);

/// Returns the variables of the process environment that a run file records, sorted: those whose
/// names begin with a prefix of recorded_prefixes(), without credentials.
std::vector<std::string> recorded_variables();
/// Returns the prefixes of the names of recorded variables.
std::vector<std::string> recorded_prefixes();
/// Returns the variables of `own` that differ from those of rank 0, as in RankFacts; both sorted.
/// Variables that name the rank itself are left out.
std::vector<std::string> differing_variables(const std::vector<std::string>& own,
                                             const std::vector<std::string>& first);

}  // namespace trilemma
