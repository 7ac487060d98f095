#include "method/server_step.hpp"

namespace trilemma {
namespace {

// [SOT] algorithm 1: clients send C(g + N(0, sigma^2 I)), compressed directly; x -= eta * mean.
Method make_cdp_sgd(Settings& experiment) {
  Method m;
  m.estimator = "sgd";
  m.paper_noise = sot_noise;
  m.noise_constant = 8;
  m.step = make_gradient_step(experiment);
  return m;
}

}  // namespace

Row<MethodMaker> cdp_sgd_method() {
  return method_row<make_cdp_sgd>(
      "cdp-sgd", "noisy minibatch gradients, compressed directly (SoteriaFL paper, alg. 1)");
}

}  // namespace trilemma
