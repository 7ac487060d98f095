#include <cmath>

#include "experiment/joint.hpp"
#include "experiment/sections.hpp"

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

// The rotation acts on the vector that is bounded, which must have the dimension of the model.
void read_rotation(Settings& compressor, Plan& plan) {
  plan.rotates = compressor.flag(
      "rotate", false,
      "rotate the clients' vectors before the bound, all by the same random rotation, so that all "
      "coordinates carry the same information");
  if (!plan.rotates) return;
  if (plan.is_decentralised())
    compressor.refuse("rotate",
                      "nodes average models, which are not rotated; set false, or choose a method "
                      "with a server");
  const StateShape shape = plan.shape();
  if (!plan.bound->bounds_public_part())
    compressor.refuse(
        "rotate",
        fmt::format(
            "where the bound is \"{}\", a part of the vector is added later and would not be "
            "rotated; set false, or choose a method that bounds whole clients",
            plan.bound->description()));
  if (shape.stride != 0 || shape.up != shape.model)
    compressor.refuse(
        "rotate",
        fmt::format(
            "clients of method {} do not send one vector of the model's size, which rotation "
            "requires; set false",
            plan.method_name));
}

void check_message_bound(const Settings& s, const Plan& plan) {
  if (plan.bound->bounds_message() && !plan.compressor->is_oblivious())
    s.section("bound").refuse(
        "of",
        "the coordinates that are sent depend on the vector here and are not known before the "
        "bound; choose update, or compressor.kind = \"rand-k\"");
}

void check_bound_of_memory(const Settings& s, const Plan& plan) {
  if (plan.memory->traits.needs_client_bound && plan.method.noise && !plan.protects_clients())
    s.section("memory").refuse(
        "kind",
        fmt::format(
            "{} changes vectors whose records have been bounded; choose error-feedback, or a "
            "method that bounds whole clients",
            plan.method.memory));
}

// The error of a biased compressor must be stored by the memory.
void check_memory_of_compressor(const Settings& compressor, const char* kind, const Plan& plan) {
  const CompressorTraits traits = plan.compressor->traits();
  const MemoryTraits& memory = plan.memory->traits;
  const bool takes_biased =
      memory.takes_biased || (plan.is_decentralised() && plan.method.node->compensates());
  const bool loses_coordinates = plan.privacy.at_server && traits.chooses_coordinates;
  if (!traits.unbiased && !takes_biased)
    compressor.refuse(
        "kind",
        fmt::format(
            "{} is biased, and without a memory method {} would lose the compression error; {}",
            kind, plan.method_name,
            !memory.is_free || plan.is_decentralised() ||
                    (plan.privacy.at_server && !loses_coordinates)
                ? "choose an unbiased compressor"
            : loses_coordinates ? "set memory.kind = \"residual\""
                                : "set memory.kind = \"error-feedback\""));
  if (memory.remembers_coordinates_only && !traits.chooses_coordinates && traits.omega != 0)
    compressor.refuse(
        "kind",
        fmt::format(
            "{} sends every coordinate inexactly, but memory.kind = \"{}\" stores only "
            "coordinates that are not sent, so the error of {} would be lost; choose a compressor "
            "that chooses coordinates, such as top-k, or memory.kind = \"{}\"",
            kind, plan.method.memory, kind,
            traits.unbiased || plan.privacy.at_server ? "none" : "error-feedback"));
}

}  // namespace

void read_memory(const Settings& s, Plan& plan) {
  Settings memory = s.section("memory");
  const bool is_chosen = row(memories(), plan.method.memory).make.traits.is_free;
  if (s.when(is_chosen)) {
    std::vector<SettingChoice> free;
    for (const auto& kind : memories())
      if (kind.make.traits.is_free) free.push_back({kind.name, kind.summary});
    const std::string kind =
        memory.choice_of("kind", is_chosen ? plan.method.memory : "none", free, "client memory");
    if (is_chosen) plan.method.memory = kind;
    if (is_chosen && plan.method.memory != "none" &&
        plan.method.steps.family == SolverFamily::corrected)
      memory.refuse(
          "kind",
          fmt::format("the control variates of method {} are updated by messages, which would then "
                      "contain earlier residuals; remove it and choose an unbiased compressor",
                      plan.method_name));
  }
  const auto& chosen = row(memories(), plan.method.memory);
  plan.memory = &chosen.make;
  Settings experiment = s;
  list(memories(), experiment, "memory.kind", chosen);
}

// Chooses what encodes the vectors of a joint mechanism.
void take_joint(Plan& plan) {
  plan.compressor_kind = plan.joint_kind;
  plan.make_compressor = joint_compressor(plan);
  plan.choose_compressor();
  plan.rotates = plan.joint.rotates();
}

void read_compressor(const Settings& s, Plan& plan) {
  if (plan.joint) return take_joint(plan);
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
    compressor.refuse(
        "kind",
        fmt::format(
            "the output of {} has no bound relative to its input, so the server's noise cannot "
            "cover it; choose another, or privacy.noise_at = \"client\"",
            kind.name));
  const bool hides_participants =
      plan.method.noise && plan.privacy.at_server && can_be_secret(plan.schedule->draw());
  if (hides_participants && !plan.compressor->layout().is_equal())
    compressor.refuse(
        "kind",
        "message sizes reveal who participates, but the claim assumes that participation is "
        "secret; choose a compressor whose messages are equally long, or participation.kind = "
        "\"full\"");
  Settings experiment = s;
  plan.memory_step = plan.method.memory_step;
  if (!plan.memory_step && plan.memory->read_step != nullptr)
    plan.memory_step = plan.memory->read_step(experiment);
  if (std::isnan(plan.step_of_memory()))
    compressor.refuse(
        "kind",
        fmt::format(
            "the variance of {} has no bound relative to the vector's norm, so it determines no "
            "step of the memory ({}); choose another, or set that step",
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
      "compressor of the model's changes if exchange.down = compressed, or of the model itself if "
      "it is direct");
  plan.make_down_compressor = kind.read(downlink);
  plan.choose_down_compressor();
  if (plan.downlink == "direct" && !plan.down_compressor->traits().unbiased)
    downlink.refuse(
        "kind",
        "the error of a biased compressor on the model itself would be lost; choose an unbiased "
        "one, or exchange.down = \"compressed\"");
}

}  // namespace trilemma
