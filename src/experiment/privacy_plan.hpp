#pragma once
// The noise, its calibration, and the claim that an experiment asks for.

#include <optional>

#include "claim/claim_inputs.hpp"

namespace trilemma {

struct PrivacyPlan {
  std::optional<double> sigma, epsilon, delta, constant;
  /// Calibrate sigma to epsilon by the paper's formula instead of the accountant.
  bool by_closed_form = false;
  accounting::Relation relation = accounting::Relation::add_remove;
  /// Draw noise, minibatches and participants with ChaCha20 from secret keys.
  bool secret = false;
  /// Record only what the claim covers, and refuse everything that uses all records before the
  /// first release.
  bool strict = false;
  /// The noise vector has norm sigma, as in lemma 2 of [NEC], so each coordinate has sigma /
  /// sqrt(d). This is far too little for the epsilon that sigma was calibrated to.
  bool total_norm = false;
  /// A trusted server perturbs the mean; otherwise each client perturbs its vector.
  bool at_server = false;
  Adversary view = Adversary::server;  ///< view of the adversary of the claim
};

}  // namespace trilemma
