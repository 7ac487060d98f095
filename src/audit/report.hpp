#pragma once

#include "audit/audit.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// Everything that was found, and how.
Report audit_report(const AuditPlan& audit, const AuditResult& result, int ranks);

/// The same in words, for people.
std::string to_text(const AuditPlan& audit, const AuditResult& result);

/// Of the accounted claim, in one sentence. Begins "claim fails:" or "claim not refuted:".
std::string verdict_sentence(const AuditPlan& audit, const AuditResult& result);

/// Of the nominal epsilon: "refuted" (with confidence 1 - refutation_level), "in doubt" (with the
/// confidence asked for only), "not refuted", or "none" where no closed form gives the noise.
const char* nominal_verdict(const AuditPlan& audit, const AuditResult& result);
/// The same in one sentence; empty for "none".
std::string nominal_sentence(const AuditPlan& audit, const AuditResult& result);

}  // namespace trilemma
