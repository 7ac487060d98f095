#include "method/decentralised.hpp"

namespace trilemma {

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

}  // namespace trilemma
