#pragma once

#include "audit/audit.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// Returns the report of an audit: all results and the circumstances.
Report audit_report(const AuditPlan& audit, const AuditResult& result, int ranks);

/// Returns the result as text for people.
std::string to_text(const AuditPlan& audit, const AuditResult& result);

/// Returns the verdict on the accounted claim in one sentence, which begins "claim fails:" or
/// "claim not refuted:".
std::string verdict_sentence(const AuditPlan& audit, const AuditResult& result);

/// Returns the verdict on the nominal epsilon: "refuted" (with confidence 1 - refutation_level),
/// "in doubt" (only with the requested confidence), "not refuted", or "none" if no closed form
/// gives the noise.
const char* nominal_verdict(const AuditPlan& audit, const AuditResult& result);
/// Returns that verdict in one sentence; empty for "none".
std::string nominal_sentence(const AuditPlan& audit, const AuditResult& result);

}  // namespace trilemma
