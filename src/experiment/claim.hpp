#pragma once

#include "experiment/releases.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// What may be said of a run's privacy.
struct Claim {
  /// One sentence. Begins "not a private run:", "nominal only:" or "holds:".
  std::string sentence;
  PrivacyRecord record;
  std::optional<EpsilonCurve> curve;  ///< empty where nothing is accounted
};
/// Accounts the plan at noise `sigma`, for shards of at least `records` records; `scaling` is what
/// was done to the features before, in words.
Claim make_claim(const Plan& plan, double sigma, std::size_t records, const std::string& scaling);

}  // namespace trilemma
