#include "method/decentralised.hpp"

namespace trilemma {
namespace {

struct MotefOptions : CopyOptions {
  double momentum = 0.1;
  void read(Reader& r) {
    CopyOptions::read(r);
    r("momentum", momentum, {.low = 0, .high = 1, .low_open = true},
      "lambda: weight of the new gradient in the mean of a node's gradients; 1 = beer");
  }
};

// MoTEF (Islamov, Gao and Stich 2024): BEER with m_i = (1 - lambda) m_i + lambda y_i in place of
// the gradient.
Method make_motef(Settings& experiment) {
  const auto options = read_options<MotefOptions>(experiment.section("gossip"));
  return decentralised_method([options] {
    return make_compressed_tracking(options, {.hides_first = true, .fresh = options.momentum});
  });
}

}  // namespace

Row<MethodMaker> motef_method() {
  return method_row<make_motef>("motef",
                                "decentralised: tracking of momenta, with compressed differences");
}

}  // namespace trilemma
