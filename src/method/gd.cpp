#include "method/server_step.hpp"

namespace trilemma {
namespace {

// x -= eta * mean_i grad f_i(x): plain distributed gradient descent, the non-private baseline.
Method make_gd(Settings& experiment) {
  Method m;
  m.estimator = "gd";
  m.bound = "none";
  m.noise = false;
  m.private_form = "dp-gd";
  m.compressor = "identity";
  m.step = make_gradient_step(experiment);
  return m;
}

}  // namespace

Row<MethodMaker> gd_method() {
  return method_row<make_gd>("gd", "distributed gradient descent, no privacy, no compression");
}

}  // namespace trilemma
