#pragma once

#include <cstdint>
#include <limits>

#include "claim/claim_inputs.hpp"
#include "record/claim_status.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// What may be said of a run's privacy.
struct Claim {
  ClaimStatus status = ClaimStatus::not_private;
  std::string sentence;  ///< the claim for people
  PrivacyRecord record;
  std::optional<accounting::EpsilonCurve> curve;  ///< empty where nothing is accounted
  /// Releases of one unit after 0, 1, ... rounds, where it does not take part in all; else empty.
  std::vector<std::uint32_t> releases_after;

  /// Upper bound on the epsilon of so many rounds; NaN where nothing is accounted.
  double spent(std::size_t rounds) const {
    if (!curve) return std::numeric_limits<double>::quiet_NaN();
    return curve->at(releases_after.empty() ? rounds : releases_after.at(rounds));
  }
};

/// Accounts the facts at noise `sigma` per coordinate, where it is added.
Claim make_claim(const ClaimInputs& inputs, double sigma);

/// Reasons that keep the run from being private in the sense of its claim; empty where there are
/// none.
std::vector<std::string> objections(const ClaimInputs& inputs, double sigma);

/// Rounding takes the noise away where it is added.
bool is_rounded_away(const ClaimInputs& inputs, double sigma);

/// The fields of /privacy that follow from facts and noise, before anything is accounted.
PrivacyRecord describe(const ClaimInputs& inputs, double sigma);

/// "(2, 1e-05)-DP for one record of a client added or removed, against whoever sees every message":
/// the accounted loss of a finished record; epsilon is rounded up.
std::string loss_in_words(const PrivacyRecord& record);

/// "the 12 contacts of the client that is met most often (...)": what the account of a run on a
/// clock covers. `messages_wait` as in ClaimInputs.
std::string contacts_in_words(double contacts, bool messages_wait);

/// What keeps an epsilon from meaning much: its size, a large delta, noise for simulation only;
/// each begins with "; ".
std::string remarks_in_words(const PrivacyRecord& record);

/// The claim in words, from a finished record.
std::string sentence_of(DpClaim claim, const PrivacyRecord& record, const ClaimInputs& inputs);

}  // namespace trilemma
