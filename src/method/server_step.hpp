#pragma once
// Steps of the server along the mean of what the clients have sent.

#include "method/method.hpp"

namespace trilemma {

/// x -= rate * direction.
Choice<ServerStep> make_constant_step(double rate);
/// The same with server.rate.
Choice<ServerStep> make_gradient_step(Settings& experiment);

/// m = momentum * m + direction; x -= rate_k * m, or x -= rate_k * m / ||m|| where
/// server.normalise is set ([NORM] algorithms 1 and 2, [NEC] algorithm 1). A zero m makes no
/// step.
struct AveragingDefaults {
  double rate = 1;
  /// server.rate is a number, or "local": the clients' own rate with its decay.
  bool is_local = false;
};
Choice<ServerStep> make_averaging_step(Settings& experiment, const Rate& local,
                                       const AveragingDefaults& defaults);

/// The row of a method; its keys are those that `make` reads.
template <MethodMaker make>
Row<MethodMaker> method_row(const char* name, const char* summary) {
  return {name, summary, [](Settings& experiment) { make(experiment); }, make};
}

}  // namespace trilemma
