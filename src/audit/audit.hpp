#pragma once
// What an audit finds. Every figure is a refutation that failed or succeeded; none is a proof.

#include "audit/attack.hpp"
#include "audit/audit_run.hpp"

namespace trilemma {

/// Probability at most of calling a true claim refuted, whichever test does it.
inline constexpr double refutation_level = 1e-6;

/// Largest distance that the unit under test moved what is released by, in pairs of runs with
/// the same randomness: noise and minibatches cancel.
struct Influence {
  double observed = 0;
  double declared = 0;  ///< what the accountant was told, for the relation
  double rounding = 0;  ///< of the arithmetic, allowed for
  long pairs = 0;       ///< 0: not measured
  bool exceeds() const { return observed > declared + rounding; }
};

/// A statistic of the runs in both worlds; of an audit in one run, of the canaries. What it looks
/// at: all rounds; the first round alone, where things are set up; the difference from a client
/// that holds nothing, which would cancel noise that clients share.
struct Test {
  std::string name, description;
  std::vector<double> absent, present;
  Attack decisive;  ///< bound on epsilon at refutation_level over the number of tests
};

struct AuditResult {
  std::vector<Test> tests;         ///< the first one is reported
  Attack reported;                 ///< its bound on epsilon at the confidence asked for
  std::optional<Attack> gaussian;  ///< bound on mu; only without sampling
  std::optional<accounting::OneRun> one_run;
  Influence influence;

  double epsilon = 0;           ///< lower bound at the confidence asked for
  double epsilon_decisive = 0;  ///< with confidence 1 - refutation_level, of all tests
  std::string decisive;         ///< the test it comes from
  double epsilon_gaussian = 0;  ///< lower bound if the mechanism is Gaussian
  bool refuted = false;
};

/// Runs the audit, with progress on stderr unless `quiet`; the result is meaningful on rank 0.
AuditResult run_audit(const AuditPlan& audit, const Placement& placement, Ranks& ranks, bool quiet);

}  // namespace trilemma
