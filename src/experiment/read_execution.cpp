#include "experiment/read_execution.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

void read_processor(const Settings& s, Plan& plan) {
  Settings processor = s.section("processor");
  plan.vector_bits = static_cast<unsigned>(processor.integer(
      "vector_bits", 0, {.low = 0, .high = 512},
      "widest registers of the kernels: 128, 256 or 512; 0 = the widest that there are"));
  processor.omit_at_default("vector_bits");
  if (plan.vector_bits != 0 && plan.vector_bits != 128 && plan.vector_bits != 256 &&
      plan.vector_bits != 512)
    processor.refuse("vector_bits", "not a width of registers; choose 128, 256 or 512");
  Settings all = s;
  plan.has_portable_numerics =
      all.choice("numerics", "fast", {"fast", "portable"},
                 "who multiplies matrices: OpenBLAS, whose rounding depends on the processor, or "
                 "slower kernels of our own, with the same bits on all that have a fused "
                 "multiply-add") == "portable";
  all.omit_at_default("numerics");
}

}  // namespace

double default_watchdog_seconds() {
  const char* const text = std::getenv("TRILEMMA_WATCHDOG");
  if (text == nullptr) return 0;
  const std::string_view all(text);
  double seconds = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), seconds);
  require(error == std::errc() && end == all.data() + all.size() && std::isfinite(seconds) &&
              seconds >= 0,
          "TRILEMMA_WATCHDOG = {}: set a number of seconds from 0 on (0 = no limit), or unset it",
          shown(all));
  return seconds;
}

void read_execution(const Settings& s, Plan& plan) {
  Settings timing = s.section("timing");
  plan.timing = timing.flag("enabled", true, "time every phase");
  plan.separate_wait =
      timing.flag("separate_wait", false,
                  "a barrier before the exchange, so that waiting is a phase of its own");
  read_processor(s, plan);
  Settings communication = s.section("communication");
  plan.model_bits_per_value = communication.number(
      "model_bits_per_value", 32, positive(), "bits a value counts in the papers' own accounting");
  Settings checkpoint = s.section("checkpoint");
  plan.checkpoint.rounds = checkpoint.integer(
      "rounds", 0, at_least(0), "save the state each so many rounds; 0 = not by rounds");
  plan.checkpoint.seconds = checkpoint.number("seconds", 60, at_least(0),
                                              "save the state about so often; 0 = not by time");
  plan.checkpoint.at_end =
      checkpoint.flag("at_end", false,
                      "keep the state after the last round, so that --rounds-more need not repeat "
                      "the run");
  plan.checkpoint.keep =
      checkpoint.integer("keep", 2, {.low = 1, .high = 1000}, "newest checkpoints that are kept");
  Settings watchdog = s.section("watchdog");
  plan.watchdog_seconds = watchdog.number(
      "seconds", default_watchdog_seconds(), at_least(0),
      "end the run where a phase takes longer than this; 0 = no limit; default $TRILEMMA_WATCHDOG");
  Settings debug = s.section("debug");
  plan.staged = debug.flag("staged", false,
                           "perturb whole vectors before compressing: bit-identical, but slower");
  // In real time a client takes its steps one by one.
  plan.method.steps.is_plain =
      debug.flag("plain_steps", false,
                 "take local steps of linear models without short cuts: same up to "
                 "rounding, slower") ||
      plan.policy;
}

}  // namespace trilemma
