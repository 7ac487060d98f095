#include "method/decentralised.hpp"

namespace trilemma {

void CopyOptions::read(Reader& r) {
  r("rate", rate, positive(), "eta: step size of a node");
  r("consensus", consensus, {.low = 0, .high = 1, .low_open = true},
    "gamma: step size of the average over neighbours; smaller for stronger compression");
  r("copies", starts_at_zero,
    {{"start", false, "the start model, which all nodes know"}, {"zero", true, "0"}},
    "what the copies of the models are at the start");
}

Method decentralised_method(Choice<NodeMethod>::Maker node) {
  Method m;
  m.driver = "gossip";
  m.shape = node_shape;
  m.estimator = "sgd";
  m.needs_everyone = true;
  m.node = Choice<NodeMethod>(std::move(node));
  m.step = make_constant_step(0);  // no server takes a step
  return m;
}

void leave_out_noise(Settings& experiment, const char* bound, const char* why, Method& method) {
  Settings privacy = experiment.section("privacy");
  Settings copy = privacy.copy();  // a method without noise has no keys of noise
  const auto sigma = copy.optional_number("sigma", at_least(0), "");
  const auto epsilon = copy.optional_number("epsilon", positive(), "");
  // If only the command line or a sweep chooses the method, noise in the file is meant for the
  // method of the file.
  const bool is_file_of_method = !experiment.origin("method").is_asked_for();
  const auto is_meant = [&](const char* key) {
    return is_file_of_method || privacy.origin(key).is_asked_for();
  };
  if (sigma.value_or(0) > 0 && is_meant("sigma"))
    privacy.refuse("sigma", fmt::format("{}, so noise would protect nothing; choose method = "
                                        "porter-dp, or set 0",
                                        why));
  const bool is_off = sigma == 0 && privacy.origin("sigma").lies_above(privacy.origin("epsilon"));
  if (epsilon && is_meant("epsilon") && !is_off)
    privacy.refuse("epsilon",
                   fmt::format("{}, so it adds no noise and promises no epsilon; choose method = "
                               "porter-dp, or set privacy.sigma = 0 to run without "
                               "privacy",
                               why));
  if (sigma == 0) privacy.optional_number("sigma", at_least(0), "standard deviation of the noise");
  method.bound = bound;
  method.noise = false;
}

}  // namespace trilemma
