#pragma once
// From an experiment to the federation that is audited.

#include "audit/audit_plan.hpp"
#include "audit/options.hpp"

namespace trilemma {

/// Reads the experiment and puts canaries for its data and problem. Of a method that protects
/// records: records are as many as in the experiment up to a cap; the batch shrinks with them so
/// that the sampling rate stays. Of a method that protects clients: one record each, few clients,
/// drawn at the rate of the experiment. The noise grows so that its ratio to the sensitivity stays.
/// Every coordinate is sent, unless the command line names a compressor. Refuses an experiment for
/// which no finite epsilon can be accounted.
AuditPlan plan_audit(const AuditOptions& options);

/// Runs in each of the two worlds: as asked for, else fewer of many rounds, so that an audit takes
/// some ten seconds.
long number_of_runs(const AuditPlan& audit, const AuditOptions& options);

/// The data of one world: the canary has +gradient along its coordinate where it is present.
CanaryData repeated_canary(const AuditPlan& audit, World world);

/// The client, record and coordinate of canary i.
Canary canary(const AuditPlan& audit, std::size_t i);

}  // namespace trilemma
