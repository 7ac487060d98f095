#include "algorithm/server_step.hpp"

namespace trilemma {
namespace {

// [PMTL] algorithm 1: every client keeps a model w_k, moves it along grad l_k(w_k) + lambda
// (w_k - x) and sends x - w_k, clipped; x, the billboard, moves by the noisy mean.
Method make(Settings& experiment) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), {.solver = "personal-gd", .pull = 0.1});
  m.bound = "clip-client";
  m.default_compressor = "identity";
  m.noise_constant = 16;
  m.paper_noise = norm_noise;
  m.step = make_averaging_step(experiment, m.steps.rate, {});
  return m;
}

}  // namespace

Row<MethodMaker> pmtl_method() {
  return method_row<make>("pmtl",
                          "models of the clients' own, pulled to a noisy mean (billboard privacy)");
}

}  // namespace trilemma
