#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Both variants send the clipped difference between x and the model after the local steps; x, the
// billboard, moves by the noisy mean. The client's own part is never sent.
Method make_pmtl(Settings& experiment, const StepDefaults& steps) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), steps);
  m.bound = "clip-client";
  m.default_compressor = "identity";
  m.noise_constant = 16;
  m.paper_noise = norm_noise;
  m.step = make_averaging_step(experiment, m.steps.rate, {});
  return m;
}

// [PMTL] algorithm 1: every client keeps a model w_k, moves it along grad l_k(w_k) + lambda
// (w_k - x) and sends x - w_k.
Method make_pmtl(Settings& experiment) {
  return make_pmtl(experiment, {.solver = "personal-gd", .pull = 0.1});
}

// PP-SGD, additive personalisation ([PMTL] appendix A.8, which only names it; bound and noise are
// those of PMTL): the model of client i is x + theta_i, and x - w_i is sent.
Method make_pp_sgd(Settings& experiment) {
  return make_pmtl(experiment, {.solver = "additive-gd", .is_fixed = true});
}

}  // namespace

Row<MethodMaker> pmtl_method() {
  return method_row<make_pmtl>("pmtl",
                               "personal models, pulled towards a noisy mean (billboard privacy)");
}
Row<MethodMaker> pp_sgd_method() {
  return method_row<make_pp_sgd>(
      "pp-sgd", "a noisy common model plus a personal part for each client (billboard privacy)");
}

}  // namespace trilemma
