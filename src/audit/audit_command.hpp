#pragma once

#include "audit/options.hpp"

namespace trilemma {

/// Attacks the claim of an experiment (docs/how-to/audit-a-run.md), with or without MPI. Returns
/// the exit code.
int audit_command(const AuditOptions& options, int argc, char** argv);

}  // namespace trilemma
