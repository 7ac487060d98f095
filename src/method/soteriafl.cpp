#include "method/server_step.hpp"

namespace trilemma {
namespace {

// [SOT] algorithms 2 and 3: clients send v_i = C(g_i + noise - s_i) and set s_i += gamma v_i; the
// server steps along v = s + mean v_i and sets s += gamma mean v_i. The variants differ in the
// estimator g_i. Constants c = 12 (SGD, GD) and 96 (SVRG, SAGA) as in the published script.
Method make_soteriafl(Settings& experiment, Corollary corollary, const char* estimator,
                      double constant) {
  Method m;
  m.estimator = estimator;
  m.memory = "shift";
  m.paper_noise = sot_noise;
  m.noise_constant = constant;
  m.theory = read_theory(experiment, corollary);
  if (m.theory.rate) m.step = make_constant_step(*m.theory.rate);
  return m;
}
Method make_soteriafl_gd(Settings& experiment) {
  return make_soteriafl(experiment, Corollary::gd, "gd", 12);
}
Method make_soteriafl_sgd(Settings& experiment) {
  return make_soteriafl(experiment, Corollary::sgd, "sgd", 12);
}
Method make_soteriafl_svrg(Settings& experiment) {
  return make_soteriafl(experiment, Corollary::svrg, "svrg", 96);
}
Method make_soteriafl_saga(Settings& experiment) {
  return make_soteriafl(experiment, Corollary::saga, "saga", 96);
}

}  // namespace

Row<MethodMaker> soteriafl_gd_method() {
  return method_row<make_soteriafl_gd>("soteriafl-gd",
                                       "shifted compression of noisy full gradients");
}
Row<MethodMaker> soteriafl_sgd_method() {
  return method_row<make_soteriafl_sgd>("soteriafl-sgd",
                                        "shifted compression of noisy minibatch gradients");
}
Row<MethodMaker> soteriafl_svrg_method() {
  return method_row<make_soteriafl_svrg>("soteriafl-svrg",
                                         "shifted compression of noisy SVRG estimates");
}
Row<MethodMaker> soteriafl_saga_method() {
  return method_row<make_soteriafl_saga>("soteriafl-saga",
                                         "shifted compression of noisy SAGA estimates");
}

}  // namespace trilemma
