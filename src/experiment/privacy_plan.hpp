#pragma once
// What an experiment asks of the noise.

#include <optional>

#include "claim/claim_inputs.hpp"

namespace trilemma {

struct PrivacyPlan {
  std::optional<double> sigma, epsilon, delta, constant;
  bool by_closed_form =
      false;  ///< sigma follows from epsilon by the paper's formula, else by the accountant
  accounting::Relation relation = accounting::Relation::add_remove;
  /// Noise, minibatches and participants from ChaCha20 under secrets.
  bool secret = false;
  /// Nothing is recorded outside the claim, and nothing depends on all records before the first
  /// release.
  bool strict = false;
  /// sigma is spread over all coordinates, so that the noise has norm sigma: [NEC] lemma 2. Far too
  /// little for the epsilon it was made for.
  bool total_norm = false;
  bool at_server = false;  ///< a trusted server perturbs the mean; else each client its vector
  Adversary view = Adversary::server;  ///< whom the claim holds against
};

}  // namespace trilemma
