#pragma once
// Steps of the server along the mean of the clients' vectors.

#include "method/method.hpp"

namespace trilemma {

/// Returns the step x -= rate * direction.
Choice<ServerStep> make_constant_step(double rate);
/// Returns the same step with the rate server.rate.
Choice<ServerStep> make_gradient_step(Settings& experiment);
/// Returns server.rate.
double read_gradient_rate(Settings& experiment);
/// Reads local.anchor_batch and local.lipschitz.
void read_recursion(Settings& local, Recursion& recursion);

/// Returns the step x -= `rate` v of a recursion: v is the direction in anchor rounds, otherwise
/// the direction plus (1 - a) v.
Choice<ServerStep> make_recursive_step(double rate, const Recursion& recursion);

/// Returns the step m = momentum * m + direction; x -= rate_k * m, or x -= rate_k * m / ||m|| if
/// server.normalise is set ([NORM] algorithms 1 and 2, [NEC] algorithm 1). If m is zero, x stays.
struct AveragingDefaults {
  double rate = 1;
  /// server.rate is a number, or "local": the clients' step size with its decay.
  bool is_local = false;
};
/// Reads server.rate and its decay.
Rate read_server_rate(Settings server, const Rate& local, const AveragingDefaults& defaults);
Choice<ServerStep> make_averaging_step(Settings& experiment, const Rate& local,
                                       const AveragingDefaults& defaults);

/// Returns the row of a method; its settings are those that `make` reads.
template <Method (*make)(Settings& experiment)>
Row<MethodMaker> method_row(const char* name, const char* summary) {
  return {name, summary, [](Settings& experiment) -> MethodMaker {
            return [method = make(experiment)] { return method; };
          }};
}

}  // namespace trilemma
