#pragma once
// The steps of plan_audit.

#include "audit/audit_plan.hpp"

namespace trilemma {

/// A gradient this many bounds long shows whether it is clipped.
inline constexpr double canary_excess = 1024;

/// What a plan claims to do: its releases, for clients of so many records, and their noise.
struct Claimed {
  Releases releases;
  double sigma = 0;
  double sensitivity() const { return releases.of_every_round().sensitivity.total(); }
};
Claimed claimed_by(const Plan& plan, std::size_t records);

/// Puts canaries for data and problem, in a model of `dimension` coordinates, and the compressor
/// that belongs to it.
void set_canary_problem(std::size_t dimension, AuditPlan& audit);

/// Takes over what the audited federation claims at its own sensitivities, under noise that has the
/// same ratio to them as in the experiment.
void keep_noise_ratio(const Claimed& experiment, AuditPlan& audit);

/// Makes a federation of few clients with single records under test; or one of which a whole
/// client is.
void place_records(AuditPlan& audit);
void place_clients(AuditPlan& audit);

}  // namespace trilemma
