#pragma once
// What an audit says, in words: of the claim that the accountant vouches for, and of the epsilon
// that a paper's closed form names.

#include "audit/audit.hpp"

namespace trilemma {

/// Of the accounted claim, in one sentence. Begins "claim fails:" or "claim not refuted:".
std::string verdict_sentence(const AuditPlan& audit, const AuditResult& result);

/// Of the nominal epsilon: "refuted" (with confidence 1 - refutation_level), "in doubt" (with the
/// confidence asked for only), "not refuted", or "none" where no closed form gives the noise.
const char* nominal_verdict(const AuditPlan& audit, const AuditResult& result);
/// The same in one sentence; empty for "none". `confidence` is that asked for.
std::string nominal_sentence(const AuditPlan& audit, const AuditResult& result, double confidence);

}  // namespace trilemma
