#pragma once

#include <functional>

#include "comm/ranks.hpp"
#include "comm/session.hpp"

namespace trilemma {

/// Says a sentence on stderr, and leaves it in `file` too unless that is empty.
void report_failure(const std::string& sentence, const std::string& file);

/// Runs `step` on every rank. Where it fails on any, the first of those ranks complains and all
/// ranks leave with the same exit code (0 = continue); nobody is left waiting.
int collectively(Ranks& ranks, const std::function<void()>& step,
                 const std::string& failure_file = {});

/// Compares what every rank says with what rank 0 says; where they differ, complains and leaves
/// likewise.
int same_everywhere(Ranks& ranks, const std::string& mine, const std::string& failure_file);

/// Compares `hosts`, the host names of the ranks (on rank 0), with the placement that the job
/// script requests (comm/node_map.hpp). Where they differ, reports a failure and leaves on all
/// ranks, or only prints a warning, as the script requests.
int placed_as_asked(Ranks& ranks, const std::vector<std::string>& hosts,
                    const std::string& failure_file = {});

/// Returns the exit code of `work`, the whole work of a command on one rank. An exception is
/// reported and ends the job, because ranks that still wait for this one would wait for ever.
int run_on_rank(const Session& session, const std::function<int()>& work,
                const std::string& failure_file = {});

}  // namespace trilemma
