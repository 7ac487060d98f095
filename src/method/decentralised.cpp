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

void leave_out_noise(const char* bound, Method& method) {
  method.bound = bound;
  method.noise = false;
  method.private_form = "porter-dp";
}

}  // namespace trilemma
