#pragma once
// Checks of a model of the user's own at the start of a run.

#include "comm/ranks.hpp"
#include "federation/assembly.hpp"
#include "problem/plugin/model_check.hpp"
#include "record/model_record.hpp"

namespace trilemma {

/// A model after its trial on a rank.
struct TriedModel {
  ModelPromises promises;
  ModelOrigins origins;
};

/// Returns the different texts of all ranks on rank 0. Collective.
ModelOrigins origins_everywhere(const ModelOrigins& mine, Ranks& ranks);

/// Tries the promises of the model on the records of this rank's first client; all promises hold if
/// the rank has none, or the problem is not the user's own. Throws UserError if the model fails, or
/// where the method works on the gradients of single records, if these depend on other records.
TriedModel try_own_model(const Plan& plan, const Assembly& parts);

/// Returns the record of the model on all ranks, complete on rank 0; nullopt if the problem is not
/// the user's own. Collective.
std::optional<ModelRecord> model_record(const Plan& plan, const TriedModel& tried, Ranks& ranks);

/// Returns a note for each broken promise of the model in the file `code`.
std::vector<std::string> notes_on(const std::optional<ModelRecord>& record,
                                  const std::string& code);

}  // namespace trilemma
