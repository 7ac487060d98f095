#pragma once

#include "audit/audit.hpp"
#include "record/audit_file.hpp"

namespace trilemma {

/// Everything that was found, and how.
AuditRecord audit_record(const AuditPlan& audit, const AuditOptions& options,
                         const AuditResult& result, int ranks);

/// The same in words, for people.
std::string to_text(const AuditPlan& audit, const AuditOptions& options, const AuditResult& result);

}  // namespace trilemma
