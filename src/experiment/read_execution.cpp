#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "experiment/sections.hpp"

namespace trilemma {
namespace {

struct ProcessorOptions {
  unsigned vector_bits = 0;
  void read(Reader& r) {
    r("vector_bits", vector_bits, {.low = 0, .high = 512},
      "width of the widest registers used by kernels: 128, 256 or 512; 0 = no limit");
    if (vector_bits != 0 && vector_bits != 128 && vector_bits != 256 && vector_bits != 512)
      r.refuse("vector_bits", "not a width of registers; choose 128, 256 or 512");
  }
};

}  // namespace

double default_watchdog_seconds() {
  const char* const text = std::getenv("TRILEMMA_WATCHDOG");
  if (text == nullptr) return 0;
  const std::string_view all(text);
  const FoundNumber found = read_number_at(all);
  require(
      found.text == NumberText::number && found.end == all.data() + all.size() && found.value >= 0,
      "TRILEMMA_WATCHDOG = {}: set a number of seconds from 0 on (0 = no limit), or unset it",
      shown(all));
  return found.value;
}

void CheckpointPlan::read(Reader& r) {
  r("rounds", rounds, {.low = 0, .unit = "rounds"},
    "rounds between two checkpoints; 0 = not by rounds");
  r("seconds", seconds, {.low = 0, .unit = "s"},
    "approximate time between two checkpoints; 0 = not by time");
  r("at_end", at_end,
    "keep the checkpoint after the last round, so that --rounds-more need not repeat the run");
  r("keep", keep, {.low = 1, .high = 1000}, "number of newest checkpoints to keep");
}

void read_execution(const Settings& s, Plan& plan) {
  Reader timing(s.section("timing"));
  timing("enabled", plan.timing, "time every phase");
  timing("separate_wait", plan.separate_wait,
         "a barrier before the exchange, so that waiting is a phase of its own");
  timing("ranks", plan.summarises_times,
         {{"each", false, "the time of every rank in every phase of every round"},
          {"summary", true,
           "mean over the ranks, maximum, and the rank of the maximum: the size does not grow with "
           "the ranks"}},
         "times that are recorded of several ranks");
  plan.vector_bits = read_options<ProcessorOptions>(s.section("processor")).vector_bits;
  Reader all(s);
  all("numerics", plan.has_portable_numerics,
      {{"fast", false, "OpenBLAS, whose rounding depends on the processor"},
       {"portable", true,
        "slower built-in kernels, with identical results on all processors that have a fused "
        "multiply-add"}},
      "implementation of matrix products");
  Reader communication(s.section("communication"));
  communication("model_bits_per_value", plan.model_bits_per_value,
                {.low = 0, .low_open = true, .unit = "bits"},
                "bits per value in the accounting of the papers");
  Reader checkpoint(s.section("checkpoint"));
  plan.checkpoint.keep = 2;
  plan.checkpoint.seconds = 60;
  plan.checkpoint.read(checkpoint);
  Reader watchdog(s.section("watchdog"));
  if (!s.lists()) plan.watchdog_seconds = default_watchdog_seconds();
  watchdog("seconds", plan.watchdog_seconds, {.low = 0, .unit = "s"},
           "seconds after which a phase without progress ends the run; 0 = no limit; default "
           "$TRILEMMA_WATCHDOG");
  Reader debug(s.section("debug"));
  debug("staged", plan.staged,
        "perturb whole vectors before compressing: bit-identical, but slower");
  bool is_plain = false;
  debug("plain_steps", is_plain,
        "take local steps of linear models without optimisations: equal up to rounding, slower");
  // In real time a client can be interrupted after every step, so steps are taken one by one.
  plan.method.steps.is_plain = is_plain || plan.policy;
}

}  // namespace trilemma
