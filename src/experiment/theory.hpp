#pragma once
// Values that a method's paper determines: settings that are left to the theory, and the bound on
// the utility of a run.

#include "experiment/plan.hpp"
#include "record/theory_record.hpp"

namespace trilemma {

/// Refuses a key that is left to the theory ("theory") if the theory of `method` states no value.
void refuse_theory(const Settings& s, const Row<MethodMaker>& method);

/// Sets the values of `plan` that are left to the theory, and writes them into the resolved
/// configuration: L, the suboptimality of the start, local.batch, local.snapshot_probability,
/// server.rate and rounds, each from those before. Reads the records for their numbers and norms;
/// if `data` is nullptr, only those that need no files. Throws UserError if the theory needs a
/// value that is not known.
void settle_theory(Settings& s, Plan& plan, DataFolder* data);

/// Returns the bound on the utility of a run with noise of standard deviation `sigma`, and its
/// constants; nullopt for methods without a corollary.
std::optional<TheoryRecord> theory_record(const Plan& plan, double sigma, const ShardSizes& shards);

}  // namespace trilemma
