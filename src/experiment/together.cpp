#include "experiment/together.hpp"

#include <cstdio>

#include "core/check.hpp"
#include "experiment/commands.hpp"

namespace trilemma {

int together(Exchange& exchange, const Placement& place, const std::function<void()>& step) {
  std::string problem;
  int code = 0;
  try {
    step();
  } catch (const UserError& error) {
    problem = error.what();
    code = exit_user;
  } catch (const std::exception& error) {
    problem = fmt::format("{} (rank {})", error.what(), place.rank);
    code = exit_internal;
  }
  const int first = exchange.smallest(code == 0 ? place.size : place.rank);
  if (first == place.size) return 0;
  if (first == place.rank) fmt::print(stderr, "trilemma: {}\n", problem);
  return -exchange.smallest(-code);
}

}  // namespace trilemma
