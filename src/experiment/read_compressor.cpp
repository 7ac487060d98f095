#include "experiment/read_compressor.hpp"

#include <cmath>

namespace trilemma {
namespace {

ValueFormat read_wire(const Settings& s) {
  ValueFormat format = ValueFormat::float32;
  Reader wire(s.section("wire"));
  wire("value", format,
       {{"float32", ValueFormat::float32},
        {"float64", ValueFormat::float64},
        {"bfloat16", ValueFormat::bfloat16, "rounded at random, without bias"},
        {"float16", ValueFormat::float16, "rounded at random, without bias"},
        {"natural", ValueFormat::natural, "powers of two, rounded at random, without bias"}},
       "format of values in client messages");
  return format;
}

// What is turned must be what is bounded, and of the model alone.
void read_rotation(Settings& compressor, Plan& plan) {
  plan.rotates = compressor.flag("rotate", false,
                                 "turn the clients' vectors at random, all in the same way, before "
                                 "they are bounded, so that every coordinate tells as much");
  if (!plan.rotates) return;
  const StateShape shape = plan.shape();
  if (!plan.bound->bounds_public_part())
    compressor.refuse("rotate", fmt::format("where the bound is \"{}\" a part of the vector is "
                                            "added later, which would not be turned; set false, or "
                                            "choose a method that bounds whole clients",
                                            plan.bound->description()));
  if (shape.stride != 0 || shape.up != shape.model)
    compressor.refuse("rotate", fmt::format("clients of method {} do not send one vector of the "
                                            "model's size, which is all that is turned; set false",
                                            plan.method_name));
}

void check_message_bound(const Settings& s, const Plan& plan) {
  if (plan.bound->bounds_message() && !plan.compressor->is_oblivious())
    s.section("bound").refuse("of",
                              "what is sent depends on the vector here, and is not known "
                              "before the bound; choose update, or compressor.kind = "
                              "\"rand-k\"");
}

void check_bound_of_memory(const Settings& s, const Plan& plan) {
  if (plan.memory->traits.needs_client_bound && plan.method.noise && !plan.protects_clients())
    s.section("memory").refuse("kind",
                               fmt::format("{} changes what records have been bounded in; choose "
                                           "error-feedback, or a method that bounds whole clients",
                                           plan.method.memory));
}

// A biased compressor may lose only what the memory remembers.
void check_memory_of_compressor(const Settings& compressor, const char* kind, const Plan& plan) {
  const CompressorTraits traits = plan.compressor->traits();
  const MemoryTraits& memory = plan.memory->traits;
  const bool loses_coordinates = plan.privacy.at_server && traits.chooses_coordinates;
  if (!traits.unbiased && !memory.takes_biased)
    compressor.refuse("kind",
                      fmt::format("{} is biased, and without a memory of what it leaves "
                                  "out method {} would lose that; {}",
                                  kind, plan.method_name,
                                  !memory.is_free || (plan.privacy.at_server && !loses_coordinates)
                                      ? "choose an unbiased compressor"
                                  : loses_coordinates ? "set memory.kind = \"residual\""
                                                      : "set memory.kind = \"error-feedback\""));
  if (memory.remembers_coordinates_only && !traits.chooses_coordinates && traits.omega != 0)
    compressor.refuse(
        "kind",
        fmt::format("{} sends something of every coordinate, and memory.kind = \"{}\" remembers "
                    "coordinates that are not sent and nothing else, so that all that {} loses "
                    "would be lost; choose a compressor that chooses coordinates, such as top-k, "
                    "or memory.kind = \"{}\"",
                    kind, plan.method.memory, kind,
                    traits.unbiased || plan.privacy.at_server ? "none" : "error-feedback"));
}

}  // namespace

// A method's own memory, or one that the experiment adds.
void read_memory(const Settings& s, Plan& plan) {
  Settings memory = s.section("memory");
  const bool is_chosen = row(memories(), plan.method.memory).make.traits.is_free;
  if (s.when(is_chosen)) {
    std::vector<SettingChoice> free;
    for (const auto& kind : memories())
      if (kind.make.traits.is_free) free.push_back({kind.name, kind.summary});
    const std::string kind = memory.choice_of("kind", is_chosen ? plan.method.memory : "none", free,
                                              "what clients keep of what was sent");
    if (is_chosen) plan.method.memory = kind;
    if (is_chosen && plan.method.memory != "none" &&
        plan.method.steps.family == SolverFamily::corrected)
      memory.refuse("kind", fmt::format("the control variates of method {} move by what is sent, "
                                        "which would then hold what was left out before; remove "
                                        "it and choose an unbiased compressor",
                                        plan.method_name));
  }
  const auto& chosen = row(memories(), plan.method.memory);
  plan.memory = &chosen.make;
  Settings experiment = s;
  list(memories(), experiment, "memory.kind", chosen);
}

void read_compressor(const Settings& s, Plan& plan) {
  plan.value_format = read_wire(s);
  Settings compressor = s.section("compressor");
  const bool is_free = plan.method.compressor.empty();
  const auto& kind = is_free
                         ? choose(compressors(), compressor, "kind", plan.method.default_compressor,
                                  "compressor of client messages")
                         : row(compressors(), plan.method.compressor);
  plan.compressor_kind = kind.name;
  plan.make_compressor = kind.read(compressor);
  plan.choose_compressor();
  read_rotation(compressor, plan);
  check_message_bound(s, plan);
  check_bound_of_memory(s, plan);
  const CompressorTraits traits = plan.compressor->traits();
  check_memory_of_compressor(compressor, kind.name, plan);
  if (plan.method.noise && plan.privacy.at_server && std::isnan(traits.gain))
    compressor.refuse("kind", fmt::format("how far {} may move a vector has no bound relative to "
                                          "its size, which the server's noise would have to cover; "
                                          "choose another, or privacy.noise_at = \"client\"",
                                          kind.name));
  const bool hides_participants =
      plan.method.noise && plan.privacy.at_server && plan.schedule->draw() != Draw::everyone;
  if (hides_participants && !plan.compressor->layout().is_equal())
    compressor.refuse(
        "kind",
        "the sizes of messages tell who takes part, which the claim takes for hidden; "
        "choose a compressor whose messages are equally long, or participation.kind = "
        "\"full\"");
  Settings experiment = s;
  plan.memory_step = plan.method.memory_step;
  if (!plan.memory_step && plan.memory->read_step != nullptr)
    plan.memory_step = plan.memory->read_step(experiment);
  if (std::isnan(plan.step_of_memory()))
    compressor.refuse("kind", fmt::format("the variance of {} has no bound relative to a vector's "
                                          "size, from which the step of the memory ({}) would "
                                          "follow; choose another, or set that step",
                                          kind.name, plan.method.memory));
}

void read_down_compressor(const Settings& s, Plan& plan) {
  const StateShape shape = plan.shape();
  if (shape.down != shape.state || shape.stride != 0)
    s.section("exchange")
        .refuse("down",
                fmt::format("clients of method {} do not all get the same model; choose plain",
                            plan.method_name));
  Settings downlink = s.section("downlink");
  const auto& kind = choose(
      compressors(), downlink, "kind", "natural",
      "compressor of the model's changes, where exchange.down is compressed, or of the model "
      "itself, where it is direct");
  plan.down_compressor = Choice<Compressor>(
      [make = kind.read(downlink), d = shape.down] { return make(d, ValueFormat::float32); });
  if (plan.downlink == "direct" && !plan.down_compressor->traits().unbiased)
    downlink.refuse("kind",
                    "what a biased compressor leaves out of the model itself would be lost; choose "
                    "an unbiased one, or exchange.down = \"compressed\"");
}

}  // namespace trilemma
