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
  /// Largest number of releases to which one unit (a record or a client) has contributed after 0,
  /// 1, ... rounds; empty if a unit can contribute to every round.
  std::vector<std::uint32_t> releases_after;

  /// Returns an upper bound on the epsilon after `rounds` rounds; NaN if nothing is accounted.
  /// Throws std::out_of_range if `rounds` is beyond releases_after.
  double spent(std::size_t rounds) const {
    if (!curve) return std::numeric_limits<double>::quiet_NaN();
    return curve->at(releases_after.empty() ? rounds : releases_after.at(rounds));
  }
};

/// Returns the claim for `inputs`. `sigma` is the standard deviation of the noise in each
/// coordinate of the vector to which it is added: a client's vector, or the server's mean.
Claim make_claim(const ClaimInputs& inputs, double sigma);

/// Returns the number of records among which the adversary looks for one: those of the largest
/// client or, if a trusted server perturbs the mean, at most those of all clients.
double records_at_stake(const ClaimInputs& inputs);

/// Returns the reasons why the run does not satisfy the claim that `inputs` describe; empty if
/// there are none.
std::vector<std::string> objections(const ClaimInputs& inputs, double sigma);

/// Returns whether noise of standard deviation `sigma` is lost to floating-point rounding where it
/// is added.
bool is_rounded_away(const ClaimInputs& inputs, double sigma);

/// Returns the fields of the group /privacy of a run file that follow from `inputs` and `sigma`
/// without an accountant.
PrivacyRecord describe(const ClaimInputs& inputs, double sigma);

/// Returns the accounted privacy loss of a finished record in words, with epsilon rounded up, such
/// as "(2, 1e-05)-DP for one record of a client added or removed, against whoever sees every
/// message".
std::string loss_in_words(const PrivacyRecord& record);
/// Returns the terms in it alone: "one record of a client added or removed, against ...".
std::string terms_in_words(const PrivacyRecord& record);

/// Returns the contacts that the account of a run on the simulated clock covers, in words: "the 12
/// contacts of the client with the most contacts (...)". `contacts` is this number; `messages_wait`
/// is that of ClaimInputs.
std::string contacts_in_words(double contacts, bool messages_wait);

/// Returns remarks that limit the meaning of epsilon: its size, loose bounds, a large delta, noise
/// for simulation only. Each begins with "; ".
std::string remarks_in_words(const PrivacyRecord& record);

/// Returns the claim as a sentence, from a finished record.
std::string sentence_of(DpClaim claim, const PrivacyRecord& record, const ClaimInputs& inputs);

}  // namespace trilemma
