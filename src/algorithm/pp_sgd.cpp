#include "algorithm/server_step.hpp"

namespace trilemma {
namespace {

// PP-SGD, additive personalisation ([PMTL] appendix A.8, which names it only; what is bounded and
// where the noise goes is that of PMTL): the model of client i is x + theta_i. x moves by the noisy
// mean of the bounded differences x - w_i; theta_i stays with the client.
Method make(Settings& experiment) {
  Method m;
  m.steps =
      read_local_steps(experiment.section("local"), {.solver = "additive-gd", .is_fixed = true});
  m.bound = "clip-client";
  m.default_compressor = "identity";
  m.noise_constant = 16;
  m.paper_noise = norm_noise;
  m.step = make_averaging_step(experiment, m.steps.rate, {});
  return m;
}

}  // namespace

Row<MethodMaker> pp_sgd_method() {
  return method_row<make>(
      "pp-sgd", "a noisy common model plus a part of each client's own (billboard privacy)");
}

}  // namespace trilemma
