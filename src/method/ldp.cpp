#include "method/server_step.hpp"

namespace trilemma {
namespace {

// x -= eta * mean_i (estimate_i + N(0, sigma^2 I)): the uncompressed baselines of [SOT]. The
// constants in the closed form of sigma are those of the published script (8 for SGD, 96 for SVRG).
Method make_ldp(Settings& experiment, const char* estimator, double constant) {
  Method m;
  m.estimator = estimator;
  m.compressor = "identity";
  m.paper_noise = sot_noise;
  m.noise_constant = constant;
  m.step = make_gradient_step(experiment);
  return m;
}
Method make_sgd(Settings& experiment) { return make_ldp(experiment, "sgd", 8); }
Method make_svrg(Settings& experiment) { return make_ldp(experiment, "svrg", 96); }

}  // namespace

Row<MethodMaker> ldp_sgd_method() {
  return method_row<make_sgd>("ldp-sgd", "noisy minibatch gradients, uncompressed (local DP)");
}
Row<MethodMaker> ldp_svrg_method() {
  return method_row<make_svrg>("ldp-svrg", "noisy SVRG estimates, uncompressed (local DP)");
}

}  // namespace trilemma
