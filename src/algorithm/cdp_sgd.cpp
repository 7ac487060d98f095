#include "algorithm/method.hpp"

namespace trilemma {
namespace {

// [SOT] algorithm 1: clients send C(g + N(0, sigma^2 I)), compressed directly; x -= eta * mean.
Method make(Settings& server) {
  Method m;
  m.estimator = "sgd";
  m.noise_constant = 8;
  m.step = make_gradient_step(server);
  return m;
}

}  // namespace

Row<MethodMaker> cdp_sgd_method() {
  return {"cdp-sgd", "noisy minibatch gradients, compressed directly (SoteriaFL paper, alg. 1)",
          declare_gradient_step, make};
}

}  // namespace trilemma
