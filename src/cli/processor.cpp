// Refuses a processor that lacks instructions for which the program was compiled, before any of
// them is executed; otherwise the program would end with an illegal instruction somewhere.

#include <unistd.h>

#include <cstring>

#include "cli/needed_instructions.hpp"

namespace {

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

// Runs before the initialisation of other static data, whose code may need the instructions.
[[gnu::constructor(101)]] void refuse_other_processors() {
  constexpr int exit_user = 2;
  // The compiler's own constructor that detects the processor may run later.
  __builtin_cpu_init();
  const char* missing = nullptr;
#define TRILEMMA_CHECK(name) \
  if (missing == nullptr && !__builtin_cpu_supports(name)) missing = name;
  TRILEMMA_NEEDED(TRILEMMA_CHECK)
#undef TRILEMMA_CHECK
  if (missing == nullptr) return;
  say("trilemma: compiled for a processor with ");
  say(missing);
  say(" instructions, which this one does not have; " TRILEMMA_REMEDY "\n");
  _exit(exit_user);
}

}  // namespace
