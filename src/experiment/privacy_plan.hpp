#pragma once
// What an experiment asks of the noise.

#include <optional>

#include "core/settings.hpp"

namespace trilemma {

struct Plan;

struct PrivacyPlan {
  std::optional<double> sigma, epsilon, delta, constant;
  std::string calibration = "accountant", relation = "add_remove";
  bool secret = false;  ///< noise and minibatches from ChaCha20 under a secret
  /// sigma is spread over all coordinates, so that the noise has norm sigma: [NEC] lemma 2. Far too
  /// little for the epsilon it was made for.
  bool total_norm = false;
  bool at_server = false;  ///< a trusted server perturbs the mean; else each client its vector
  /// Whom the claim holds against: V_server sees every message and its sender, V_aggregate sums and
  /// models only, V_others all but a client's own model.
  std::string view = "V_server";
};

/// Reads the section `privacy` for a plan whose method, bound, sampler and schedule are made, and
/// refuses what cannot be.
PrivacyPlan read_privacy(const Settings& experiment, const Plan& plan);

/// Lists the keys of the section.
void declare_privacy(const Settings& experiment);

}  // namespace trilemma
