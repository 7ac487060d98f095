#pragma once

#include "audit/options.hpp"

namespace trilemma {

/// Attacks the claim of an experiment (docs/audit.md), under MPI or alone; the exit code.
int audit_command(const AuditOptions& options, int argc, char** argv);

}  // namespace trilemma
