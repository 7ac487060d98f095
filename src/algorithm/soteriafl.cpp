#include "algorithm/method.hpp"

namespace trilemma {
namespace {

// [SOT] algorithms 2 and 3: clients send v_i = C(g_i + noise - s_i) and move s_i += gamma v_i; the
// server steps along v = s + mean v_i and moves s += gamma mean v_i. The variants differ in the
// estimator g_i. Constants c = 12 (SGD, GD) and 96 (SVRG, SAGA) as in the published script.
Method make(Settings& server, const char* estimator, double constant) {
  Method m;
  m.estimator = estimator;
  m.shift = true;
  m.noise_constant = constant;
  m.step = make_gradient_step(server);
  return m;
}
Method make_gd(Settings& server) { return make(server, "gd", 12); }
Method make_sgd(Settings& server) { return make(server, "sgd", 12); }
Method make_svrg(Settings& server) { return make(server, "svrg", 96); }
Method make_saga(Settings& server) { return make(server, "saga", 96); }

}  // namespace

Row<MethodMaker> soteriafl_gd_method() {
  return {"soteriafl-gd", "shifted compression of noisy full gradients", declare_gradient_step,
          make_gd};
}
Row<MethodMaker> soteriafl_sgd_method() {
  return {"soteriafl-sgd", "shifted compression of noisy minibatch gradients",
          declare_gradient_step, make_sgd};
}
Row<MethodMaker> soteriafl_svrg_method() {
  return {"soteriafl-svrg", "shifted compression of noisy SVRG estimates", declare_gradient_step,
          make_svrg};
}
Row<MethodMaker> soteriafl_saga_method() {
  return {"soteriafl-saga", "shifted compression of noisy SAGA estimates", declare_gradient_step,
          make_saga};
}

}  // namespace trilemma
