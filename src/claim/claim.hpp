#pragma once

#include <cstdint>
#include <limits>

#include "claim/claim_inputs.hpp"
#include "record/claim_status.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// The privacy claim of a run.
struct Claim {
  ClaimStatus status = ClaimStatus::not_private;
  std::string sentence;  ///< the claim for people
  PrivacyRecord record;
  std::optional<accounting::EpsilonCurve> curve;  ///< empty if nothing is accounted
  /// Largest number of releases of one unit after 0, 1, ... rounds; empty if a unit takes part in
  /// all rounds.
  std::vector<std::uint32_t> releases_after;

  /// Returns an upper bound on the epsilon after `rounds` rounds; NaN if nothing is accounted.
  double spent(std::size_t rounds) const {
    if (!curve) return std::numeric_limits<double>::quiet_NaN();
    return curve->at(releases_after.empty() ? rounds : releases_after.at(rounds));
  }
};

/// Returns the claim for `inputs` at standard deviation `sigma` per coordinate, where the noise is
/// added.
Claim make_claim(const ClaimInputs& inputs, double sigma);

/// Returns the reasons why the run is not private in the sense of its claim; empty if there are
/// none.
std::vector<std::string> objections(const ClaimInputs& inputs, double sigma);

/// Returns whether floating-point rounding removes the noise where it is added.
bool is_rounded_away(const ClaimInputs& inputs, double sigma);

/// Returns the fields of /privacy that follow from `inputs` and `sigma`, before anything is
/// accounted.
PrivacyRecord describe(const ClaimInputs& inputs, double sigma);

/// Describes the accounted privacy loss of a finished record; epsilon is rounded up: "(2, 1e-05)-DP
/// for one record of a client added or removed, against whoever sees every message".
std::string loss_in_words(const PrivacyRecord& record);

/// Describes the contacts that the account of a run on a clock covers; `contacts` is the largest
/// number of contacts of a client, `messages_wait` as in ClaimInputs.
std::string contacts_in_words(double contacts, bool messages_wait);

/// Returns remarks that limit the meaning of epsilon: its size, loose bounds, a large delta, noise
/// for simulation only. Each begins with "; ".
std::string remarks_in_words(const PrivacyRecord& record);

/// Returns the claim as a sentence, from a finished record.
std::string sentence_of(DpClaim claim, const PrivacyRecord& record, const ClaimInputs& inputs);

}  // namespace trilemma
