#include "run/launch_watch.hpp"

#include <cstdlib>

#include "experiment/read_execution.hpp"

namespace trilemma {

void watch_the_launch(const RunOptions& options, Watchdog& watchdog) {
  const char* rank = std::getenv("PMIX_RANK");
  try {
    const Settings settings = options.file.empty() || options.rounds_more > 0 || options.replays
                                  ? Settings::from_text("", "", options.overrides)
                                  : Settings::from_file(options.file, options.overrides);
    watchdog.set(
        settings.section("watchdog").number("seconds", default_watchdog_seconds(), at_least(0), ""),
        rank == nullptr ? 0 : std::atoi(rank), options.failure_file);
  } catch (const std::exception&) {
    watchdog.set(0, 0, "");
  }
}

}  // namespace trilemma
