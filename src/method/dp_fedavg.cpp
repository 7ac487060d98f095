#include "method/server_step.hpp"

namespace trilemma {
namespace {

Method make_dp_fedavg(Settings& experiment, const char* bound, const StepDefaults& steps,
                      PaperNoise noise) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), steps);
  m.bound = bound;
  m.default_compressor = "identity";
  m.noise_constant = 1;
  m.paper_noise = noise;
  m.step = make_averaging_step(experiment, m.steps.rate, {.is_local = true});
  return m;
}

// [NORM] algorithms 1 and 2: u_i = (w - w_E) / eta, the sum of the local gradients, gets norm at
// most (or exactly) C; x -= beta * mean, where beta is by default the clients' step size.
Method make_clip(Settings& experiment) {
  return make_dp_fedavg(experiment, "clip-client", {.solver = "sgd", .update = Update::sum},
                        norm_noise);
}
Method make_normalised(Settings& experiment) {
  return make_dp_fedavg(experiment, "normalise-client", {.solver = "sgd", .update = Update::sum},
                        norm_noise);
}

// [NEC] equation 2: the mean gradient along the local steps, smoothly normalised to a norm below C
// (their beta); no memory.
Method make_smooth(Settings& experiment) {
  return make_dp_fedavg(experiment, "smooth-normalise-client",
                        {.solver = "sgd", .update = Update::mean, .divides_rate = true}, nec_noise);
}

}  // namespace

Row<MethodMaker> dp_fedavg_clip_method() {
  return method_row<make_clip>("dp-fedavg-clip",
                               "noisy mean of clipped client updates (client-level DP)");
}
Row<MethodMaker> dp_normfedavg_method() {
  return method_row<make_normalised>("dp-normfedavg",
                                     "noisy mean of normalised client updates (client-level DP)");
}
Row<MethodMaker> dp_fedavg_smooth_method() {
  return method_row<make_smooth>(
      "dp-fedavg-smooth", "noisy mean of smoothly normalised client updates (client-level DP)");
}

}  // namespace trilemma
