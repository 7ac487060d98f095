#pragma once

#include <functional>

#include "comm/ranks.hpp"
#include "comm/session.hpp"

namespace trilemma {

/// Prints `sentence` to stderr, and writes it to `file` unless that is empty.
void report_failure(const std::string& sentence, const std::string& file);

/// Runs `step` on every rank. If it throws on any rank, the first of those ranks reports the
/// failure and all ranks return the same exit code; otherwise returns 0. No rank is left waiting.
int collectively(Ranks& ranks, const std::function<void()>& step,
                 const std::string& failure_file = {});

/// Compares the text `mine` of every rank with that of rank 0. If they differ, reports the failure
/// and returns the same exit code on all ranks; otherwise returns 0.
int same_everywhere(Ranks& ranks, const std::string& mine, const std::string& failure_file);

/// Compares `hosts`, the host names of the ranks (on rank 0), with the placement that the job
/// script requests (comm/node_map.hpp). If they differ, reports a failure and returns an exit code
/// on all ranks, or only prints a warning, as the script requests.
int placed_as_asked(Ranks& ranks, const std::vector<std::string>& hosts,
                    const std::string& failure_file = {});

/// Returns the exit code of `work`, the whole work of a command on one rank. An exception is
/// reported and ends the job, because ranks that still wait for this one would wait for ever.
int run_on_rank(const Session& session, const std::function<int()>& work,
                const std::string& failure_file = {});

}  // namespace trilemma
