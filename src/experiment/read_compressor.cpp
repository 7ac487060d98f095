#include "experiment/read_compressor.hpp"

#include <cmath>

#include "compress/marina_switch.hpp"

namespace trilemma {
namespace {

ValueFormat read_wire(const Settings& s) {
  Settings wire = s.section("wire");
  const auto name = wire.choice(
      "value", "float32", {"float32", "float64", "bfloat16", "float16", "natural"},
      "format of values in client messages; the last three round at random, without bias");
  if (name == "float64") return ValueFormat::float64;
  if (name == "bfloat16") return ValueFormat::bfloat16;
  if (name == "float16") return ValueFormat::float16;
  return name == "natural" ? ValueFormat::natural : ValueFormat::float32;
}

// What is turned must be what is bounded, and of the model alone.
void read_rotation(Settings& compressor, Plan& plan) {
  plan.rotates = compressor.flag("rotate", false,
                                 "turn the clients' vectors at random, all in the same way, before "
                                 "they are bounded, so that every coordinate tells as much");
  compressor.omit_at_default("rotate");
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
  if (row(memories(), plan.method.memory).make.traits.is_free) {
    std::vector<std::string> free;
    for (const auto& kind : memories())
      if (kind.make.traits.is_free) free.emplace_back(kind.name);
    plan.method.memory =
        memory.choice("kind", plan.method.memory, free,
                      "what clients keep of what was sent; error-feedback: what a biased "
                      "compressor has left out; residual: so, before the bound; ef21: all of "
                      "it");
    memory.omit_at_default("kind");
    if (plan.method.memory != "none" && plan.method.steps.family == SolverFamily::corrected)
      memory.refuse("kind", fmt::format("the control variates of method {} move by what is sent, "
                                        "which would then hold what was left out before; remove "
                                        "it and choose an unbiased compressor",
                                        plan.method_name));
  }
  plan.memory = &row(memories(), plan.method.memory).make;
}

void read_compressor(const Settings& s, Plan& plan) {
  const ValueFormat format = read_wire(s);
  Settings compressor = s.section("compressor");
  const bool is_free = plan.method.compressor.empty();
  const auto& kind = is_free
                         ? choose(compressors(), compressor, "kind", plan.method.default_compressor,
                                  "compressor of client messages")
                         : row(compressors(), plan.method.compressor);
  plan.compressor_kind = kind.name;
  plan.compressor = Choice<Compressor>(
      [compressor, make = kind.make, d = plan.shape().up, format,
       whole = plan.method.whole_probability]() mutable -> std::unique_ptr<Compressor> {
        auto made = make(compressor, d, format);
        return whole ? marina_switch(std::move(made), *whole) : std::move(made);
      });
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
  if (!plan.memory_step) plan.memory_step = plan.memory->read_step(experiment);
  if (std::isnan(plan.step_of_memory()))
    compressor.refuse("kind", fmt::format("the variance of {} has no bound relative to a vector's "
                                          "size, from which the step of the memory ({}) would "
                                          "follow; choose another, or set that step",
                                          kind.name, plan.method.memory));
}

const Row<CompressorMaker>& choose_down_compressor(Settings& downlink) {
  return choose(
      compressors(), downlink, "kind", "natural",
      "compressor of the model's changes, where exchange.down is compressed, or of the model "
      "itself, where it is direct");
}

void read_down_compressor(const Settings& s, Plan& plan) {
  const StateShape shape = plan.shape();
  if (shape.down != shape.state || shape.stride != 0)
    s.section("exchange")
        .refuse("down",
                fmt::format("clients of method {} do not all get the same model; choose plain",
                            plan.method_name));
  Settings downlink = s.section("downlink");
  plan.down_compressor = Choice<Compressor>(
      [downlink, make = choose_down_compressor(downlink).make, d = shape.down]() mutable {
        return make(downlink, d, ValueFormat::float32);
      });
  if (plan.downlink == "direct" && !plan.down_compressor->traits().unbiased)
    downlink.refuse("kind",
                    "what a biased compressor leaves out of the model itself would be lost; choose "
                    "an unbiased one, or exchange.down = \"compressed\"");
}

}  // namespace trilemma
