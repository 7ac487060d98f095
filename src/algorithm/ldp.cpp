#include "algorithm/method.hpp"

namespace trilemma {
namespace {

// x -= eta * mean_i (estimate_i + N(0, sigma^2 I)): the uncompressed baselines of [SOT]. The
// constants of the closed form of sigma are those of the published script (8 for SGD, 96 for SVRG).
Method make(Settings& server, const char* estimator, double constant) {
  Method m;
  m.estimator = estimator;
  m.compressor = "identity";
  m.noise_constant = constant;
  m.step = make_gradient_step(server);
  return m;
}
Method make_sgd(Settings& server) { return make(server, "sgd", 8); }
Method make_svrg(Settings& server) { return make(server, "svrg", 96); }

}  // namespace

Row<MethodMaker> ldp_sgd_method() {
  return {"ldp-sgd", "noisy minibatch gradients, uncompressed (local DP)", declare_gradient_step,
          make_sgd};
}
Row<MethodMaker> ldp_svrg_method() {
  return {"ldp-svrg", "noisy SVRG estimates, uncompressed (local DP)", declare_gradient_step,
          make_svrg};
}

}  // namespace trilemma
