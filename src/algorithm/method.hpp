#pragma once
// Published methods: which part sits in which slot of the round, and the server's step.

#include <memory>
#include <string>

#include "local/estimator.hpp"
#include "memory/memory.hpp"

namespace trilemma {

/// What the server does with the mean of the (restored) client vectors.
class ServerStep {
 public:
  virtual ~ServerStep() = default;
  virtual void apply(View x, std::span<const double> direction) = 0;
  /// What a restart must find again (a momentum, say).
  virtual void persist(State& state) = 0;
};

/// Slots of a method. An empty name leaves the slot to the configuration.
struct Method {
  std::string estimator;       ///< row of estimators()
  std::string bound;           ///< row of bounds()
  bool noise = true;           ///< a mechanism after the bound
  bool shift = false;          ///< shift memories at both ends
  std::string compressor;      ///< row of compressors()
  bool needs_unbiased = true;  ///< the method's theory needs E C(z) = z
  double noise_constant = 0;   ///< c of the papers' closed form of sigma
  std::unique_ptr<ServerStep> step;
};

using MethodMaker = Method (*)(Settings& server);

/// gd, ldp-sgd, ldp-svrg, cdp-sgd, soteriafl-gd, -sgd, -svrg, -saga.
std::span<const Row<MethodMaker>> methods();

/// x -= rate * direction, with `rate` read from the settings.
std::unique_ptr<ServerStep> make_gradient_step(Settings& server);
void declare_gradient_step(Settings& server);

}  // namespace trilemma
