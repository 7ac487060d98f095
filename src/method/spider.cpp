#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Noisy SPIDER (Lowy, Ghafelebashi and Razaviyayn 2022): clients add the noise to the vectors of
// local/recursion.hpp with a = 0; every q0-th round is an anchor. The server steps along h, the
// mean at the last anchor plus the mean differences since.
Method make_ldp_spider(Settings& experiment) {
  Method m;
  m.estimator = "recursive";
  m.bound = "clip-record";
  m.compressor = m.default_compressor = "identity";
  m.needs_everyone = true;
  m.paper_noise = spider_noise;
  m.noise_constant = 16;
  Settings local = experiment.section("local");
  m.recursion.fresh = 0;
  m.recursion.period = local.integer("period", 8, {.low = 1, .high = 1e9, .unit = "rounds"},
                                     "q_0: rounds from one anchor to the next; 1 = ldp-sgd");
  read_recursion(local, m.recursion);
  m.recursion.searches_split =
      local.choice("split", "equal", {"equal", "search"},
                   "division of the budget between anchors and later rounds: the same noise "
                   "multiplier, or the ratio of multipliers for which the noise of the estimate "
                   "is smallest, averaged over a period") == "search";
  m.recursion.rate = read_gradient_rate(experiment);
  m.step = make_recursive_step(m.recursion.rate, m.recursion);
  return m;
}

}  // namespace

Row<MethodMaker> ldp_spider_method() {
  return method_row<make_ldp_spider>("ldp-spider",
                                     "noisy SPIDER estimates, uncompressed (local DP)");
}

}  // namespace trilemma
