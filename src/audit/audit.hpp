#pragma once
// Result of an audit. An audit can refute a claim, but never prove it.

#include "audit/attack.hpp"
#include "audit/audit_run.hpp"

namespace trilemma {

/// Largest probability of refuting a true claim, over all tests together.
inline constexpr double refutation_level = 1e-6;

/// Largest distance by which the unit under test changed the released vector, in pairs of runs with
/// the same randomness, so that noise and minibatches cancel.
struct Influence {
  double observed = 0;
  double declared = 0;  ///< sensitivity used by the accountant, for the relation
  double rounding = 0;  ///< allowance for rounding errors
  long pairs = 0;       ///< number of pairs; 0: not measured
  /// Returns whether the observed distance exceeds the declared one by more than rounding.
  bool exceeds() const { return observed > declared + rounding; }
};

/// Values of a statistic in the runs of both worlds, or of the canaries of an audit in one run.
/// Statistics use all rounds; only the first round, in which state is initialised; the difference
/// from a client without data, in which noise shared by clients would cancel; or the changes from
/// one round to the next, in which noise that is not drawn again would cancel.
struct Test {
  std::string name, description;
  std::vector<double> absent, present;
  Attack decisive;  ///< bound on epsilon at refutation_level divided by the number of tests
};

/// Result of an audit.
struct AuditResult {
  std::vector<Test> tests;         ///< the first one is reported
  Attack reported;                 ///< its bound on epsilon at the requested confidence
  std::optional<Attack> gaussian;  ///< bound on mu; only without sampling
  std::optional<accounting::OneRun> one_run;
  Influence influence;

  double epsilon = 0;           ///< lower bound at the requested confidence
  double epsilon_decisive = 0;  ///< with confidence 1 - refutation_level, over all tests
  std::string decisive;         ///< name of the test that gives it
  double epsilon_gaussian = 0;  ///< lower bound if the mechanism is Gaussian
  bool refuted = false;
};

/// Runs the audit and returns its result, which is complete on rank 0. Prints progress to stderr
/// unless `quiet`.
AuditResult run_audit(const AuditPlan& audit, const Placement& placement, Ranks& ranks, bool quiet);

}  // namespace trilemma
