#include "method/server_step.hpp"

namespace trilemma {
namespace {

// A trusted server adds the noise that protects a record of the union of all clients' data; with
// one client, that client is the node which holds all records.
Method make_central(Settings& experiment, const char* estimator) {
  Method m;
  m.estimator = estimator;
  m.bound = "clip-record";
  m.compressor = m.default_compressor = "identity";
  m.is_central = true;
  m.noise_constant = 8;
  m.paper_noise = central_noise;
  m.step = make_gradient_step(experiment);
  return m;
}

// x -= eta (mean_i (1/b) sum_J clip(g_ij) + N(0, sigma^2 I)) (Abadi et al. 2016).
Method make_dp_sgd(Settings& experiment) { return make_central(experiment, "sgd"); }
// The same on all records (Wang, Ye and Xu 2017).
Method make_dp_gd(Settings& experiment) { return make_central(experiment, "gd"); }

// DP-SRM (Wang, Jayaraman, Evans and Gu 2019): v = mean w + (1 - a) v + N, x -= eta v, where w is
// the vector of local/recursion.hpp and only the first round is an anchor. v carries the noise of
// earlier rounds, so that it is released and the recursion is post-processing.
Method make_dp_srm(Settings& experiment) {
  Method m = make_central(experiment, "recursive");
  m.needs_everyone = true;
  m.paper_noise = nullptr;
  m.noise_constant = 0;
  Settings local = experiment.section("local");
  m.recursion.fresh =
      local.number("fresh", 0.1, {.low = 0, .high = 1, .low_open = true},
                   "a: weight of new gradients in the estimate of stochastic recursive momentum; "
                   "1 = dp-sgd");
  read_recursion(local, m.recursion);
  m.recursion.rate = read_gradient_rate(experiment);
  m.step = make_recursive_step(m.recursion.rate, m.recursion);
  return m;
}

}  // namespace

Row<MethodMaker> dp_sgd_method() {
  return method_row<make_dp_sgd>(
      "dp-sgd", "minibatch gradients with noise of a trusted server (central DP of records)");
}
Row<MethodMaker> dp_gd_method() {
  return method_row<make_dp_gd>(
      "dp-gd", "full gradients with noise of a trusted server (central DP of records)");
}
Row<MethodMaker> dp_srm_method() {
  return method_row<make_dp_srm>(
      "dp-srm",
      "stochastic recursive momentum with noise of a trusted server (central DP of records)");
}
Row<MethodMaker> dp_srm_distributed_method() {
  return method_row<make_dp_srm>("dp-srm-distributed",
                                 "the same under the name of its form for several clients");
}

}  // namespace trilemma
