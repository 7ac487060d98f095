#include "method/decentralised.hpp"

namespace trilemma {
namespace {

// PORTER (Li and Chi 2023). v_i starts at 0 and y_i carries fresh noise in every round: a round
// releases y_i and nothing else that is new, since all of v_i - y_i was sent before.
Method make_porter(Settings& experiment) {
  const auto options = read_options<CopyOptions>(experiment.section("gossip"));
  return decentralised_method([options] { return make_compressed_tracking(options, {}); });
}

Method make_porter_dp(Settings& experiment) {
  Method m = make_porter(experiment);
  m.default_bound = "smooth-clip-record";
  return m;
}

Method make_porter_gc(Settings& experiment) {
  Method m = make_porter(experiment);
  leave_out_noise("clip-estimator", m);
  return m;
}

}  // namespace

Row<MethodMaker> porter_dp_method() {
  return method_row<make_porter_dp>(
      "porter-dp",
      "decentralised: gradient tracking of bounded, noisy gradients, compressed differences");
}

Row<MethodMaker> porter_gc_method() {
  return method_row<make_porter_gc>(
      "porter-gc",
      "decentralised: gradient tracking of clipped minibatch gradients, compressed differences, no privacy");
}

}  // namespace trilemma
