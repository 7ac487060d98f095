#include "method/recursive.hpp"

namespace trilemma {

void read_recursion(Settings& local, Recursion& recursion) {
  recursion.anchor_batch =
      local
          .integer_or("anchor_batch", "batch", at_least(1),
                      "b_1: records in a minibatch of an anchor round, expected or exact")
          .value_or(0);
  recursion.lipschitz = local.number_or(
      "lipschitz", "none", positive(),
      "public estimate of the Lipschitz constant of a record's gradient: later rounds clip the "
      "difference of a record's gradients to it times the model's last move, and their noise "
      "follows");
}

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
