#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Gradient descent with compressed gradients and without privacy, which isolates the cost of
// compression. x -= eta v, where v is the mean of the vectors that the clients' memories restore
// from C(.).
Method make_compressed(Settings& experiment, const char* memory, const char* compressor,
                       const char* private_form = "") {
  Method m;
  m.estimator = "gd";
  m.bound = "none";
  m.noise = false;
  m.private_form = private_form;
  m.memory = memory;
  m.default_compressor = compressor;
  m.step = make_gradient_step(experiment);
  return m;
}

// v = mean C(grad f_i) (Khirirat et al. 2018).
Method make_plain(Settings& experiment) {
  return make_compressed(experiment, "none", "rand-k", "cdp-sgd");
}
// v = s + mean C(grad f_i - s_i) (Mishchenko et al. 2019): SoteriaFL-GD without noise and bound.
Method make_diana(Settings& experiment) {
  return make_compressed(experiment, "shift", "rand-k", "soteriafl-gd");
}
// v = mean g_i, g_i += C(grad f_i - g_i) (Richtarik et al. 2021, algorithm 2).
Method make_ef21(Settings& experiment) { return make_compressed(experiment, "ef21", "top-k"); }

// v = mean g_i; g_i = grad f_i with probability p, by one coin for all clients, otherwise g_i +=
// C(grad f_i - grad f_i of the previous round) (Gorbunov et al. 2021, algorithm 1).
Method make_marina(Settings& experiment) {
  Method m = make_compressed(experiment, "marina", "rand-k");
  m.whole_probability = experiment.section("memory").number(
      "whole", 0.05, {.low = 0, .high = 1, .low_open = true},
      "probability of a round in which clients send whole vectors; the theory takes the share of "
      "coordinates sent in other rounds");
  m.memory_step = m.whole_probability;
  return m;
}

}  // namespace

Row<MethodMaker> compressed_gd_method() {
  return method_row<make_plain>("compressed-gd",
                                "gradient descent with compressed gradients, no privacy");
}
Row<MethodMaker> diana_method() {
  return method_row<make_diana>("diana", "the same with shifts that both ends learn, no privacy");
}
Row<MethodMaker> ef21_method() {
  return method_row<make_ef21>("ef21",
                               "the same with error feedback for biased compressors, no privacy");
}
Row<MethodMaker> marina_method() {
  return method_row<make_marina>(
      "marina", "the same with differences of gradients, sometimes whole gradients, no privacy");
}

}  // namespace trilemma
