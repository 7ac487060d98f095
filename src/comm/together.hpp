#pragma once

#include <functional>

#include "comm/ranks.hpp"

namespace trilemma {

/// Says a sentence on stderr, and leaves it in `file` too unless that is empty.
void complain(const std::string& sentence, const std::string& file);

/// Runs `step` on every rank. Where it fails on any, the first of those ranks complains and all
/// ranks leave with the same exit code (0 = continue); nobody is left waiting.
int together(Ranks& ranks, const std::function<void()>& step, const std::string& failure_file = {});

/// Compares what every rank says with what rank 0 says; where they differ, complains and leaves
/// likewise.
int same_everywhere(Ranks& ranks, const std::string& mine, const std::string& failure_file);

/// Compares the host names of the ranks, which rank 0 has, with the placement that the job script
/// asks for (comm/node_map.hpp). Where they differ, complains and leaves likewise, or warns only,
/// as the script says.
int placed_as_asked(Ranks& ranks, const std::vector<std::string>& hosts,
                    const std::string& failure_file = {});

}  // namespace trilemma
