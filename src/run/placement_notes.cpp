#include "run/placement_notes.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace trilemma {

void report_placement(const Placement& place, const std::vector<std::string>& notes) {
  if (place.hosts() > place.clients)
    fmt::print(
        stderr,
        "trilemma: warning: {} hosting ranks for {} clients, {} ranks stay idle; use fewer ranks\n",
        place.hosts(), place.clients, place.hosts() - place.clients);
  for (const std::string& note : notes)
    if (!note.empty()) fmt::print(stderr, "trilemma: note: {}\n", note);
}

}  // namespace trilemma
