#include "method/decentralised.hpp"

namespace trilemma {
namespace {

// BEER (Zhao, Li, Li, Richtarik and Chi 2022). It is not private: v_i starts at a gradient that the
// analysis takes without noise. porter-dp is its private form.
Method make_beer(Settings& experiment) {
  const auto options = read_options<CopyOptions>(experiment.section("gossip"));
  Method m = decentralised_method(
      [options] { return make_compressed_tracking(options, {.hides_first = true}); });
  leave_out_noise("none", m);
  return m;
}

}  // namespace

Row<MethodMaker> beer_method() {
  return method_row<make_beer>(
      "beer", "decentralised: gradient tracking with compressed differences, no privacy");
}

}  // namespace trilemma
