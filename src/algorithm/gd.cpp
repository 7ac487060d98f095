#include "algorithm/method.hpp"

namespace trilemma {
namespace {

// x -= eta * mean_i grad f_i(x): plain distributed gradient descent, the non-private yardstick.
Method make(Settings& server) {
  Method m;
  m.estimator = "gd";
  m.bound = "none";
  m.noise = false;
  m.compressor = "identity";
  m.step = make_gradient_step(server);
  return m;
}

}  // namespace

Row<MethodMaker> gd_method() {
  return {"gd", "distributed gradient descent, no privacy, no compression", declare_gradient_step,
          make};
}

}  // namespace trilemma
