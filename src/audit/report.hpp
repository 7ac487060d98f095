#pragma once

#include "audit/audit.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// Everything that was found, and how.
Report audit_report(const AuditPlan& audit, const AuditOptions& options, const AuditResult& result,
                    int ranks);

/// The same in words, for people.
std::string to_text(const AuditPlan& audit, const AuditOptions& options, const AuditResult& result);

}  // namespace trilemma
