#include "method/server_step.hpp"

namespace trilemma {
namespace {

// [NEC] algorithm 1 (error feedback as in EF21): D_i = bound(P_i - v_i), where P_i is the mean
// gradient along the local steps; v_i += beta D_i at every client, participating or not; the
// participants send D_i with noise; vhat += beta * mean, x -= eta * vhat. Dividing by the expected
// number of participants replaces the factor 1/p of the paper.
Method make_normec(Settings& experiment, const char* bound, const StepDefaults& steps,
                   double beta) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), steps);
  m.memory = "error-before-bound";
  Settings memory = experiment.section("memory");
  m.memory_step = memory.number("step", beta, positive(),
                                "beta: step size with which memories add the bounded vector");
  m.bound = bound;
  m.default_compressor = "identity";
  m.noise_constant = 1;
  m.paper_noise = nec_noise;
  m.step = make_averaging_step(experiment, m.steps.rate, {.is_local = true});
  return m;
}

constexpr const char* smooth = "smooth-normalise-client";
constexpr double paper_beta = 0.01;

Method make_several(Settings& experiment) {
  return make_normec(experiment, smooth, {.update = Update::mean, .divides_rate = true},
                     paper_beta);
}
Method make_cyclic(Settings& experiment) {
  return make_normec(experiment, smooth,
                     {.solver = "cyclic", .update = Update::mean, .divides_rate = true},
                     paper_beta);
}
Method make_one(Settings& experiment) {
  return make_normec(experiment, smooth, {.update = Update::mean, .only_one = true}, paper_beta);
}
// Clip21 (Khirirat et al. 2023): the same with clipping and beta = 1.
Method make_clip21(Settings& experiment) {
  return make_normec(experiment, "clip-client", {.update = Update::mean, .only_one = true}, 1);
}

}  // namespace

Row<MethodMaker> alpha_normec_method() {
  return method_row<make_one>(
      "alpha-normec", "smoothly normalised gradients with error feedback (client-level DP)");
}
Row<MethodMaker> fed_alpha_normec_method() {
  return method_row<make_several>(
      "fed-alpha-normec",
      "smoothly normalised updates of several local steps with error feedback (client-level DP)");
}
Row<MethodMaker> fed_alpha_normec_ig_method() {
  return method_row<make_cyclic>(
      "fed-alpha-normec-ig",
      "fed-alpha-normec whose local work is a cyclic pass over the records (client-level DP)");
}
Row<MethodMaker> clip21_method() {
  return method_row<make_clip21>("clip21",
                                 "clipped gradients with error feedback (client-level DP)");
}

}  // namespace trilemma
