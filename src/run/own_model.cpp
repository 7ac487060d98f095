#include "run/own_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace trilemma {
namespace {

// Returns the different texts of all ranks on rank 0, in order. Collective.
std::vector<std::string> united(const std::vector<std::string>& mine, Ranks& ranks) {
  const int most = -ranks.smallest(-static_cast<int>(mine.size()));
  std::set<std::string> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    for (const auto& text : ranks.gather_text(i < mine.size() ? mine[i] : "")) all.insert(text);
  all.erase("");
  return {all.begin(), all.end()};
}

}  // namespace

ModelOrigins origins_everywhere(const ModelOrigins& mine, Ranks& ranks) {
  return {united(mine.packages, ranks), united(mine.modules, ranks)};
}

TriedModel try_own_model(const Plan& plan, const Assembly& parts) {
  OwnModel* const model = parts.problem->as_own_model();
  if (model == nullptr) return {};
  TriedModel tried;
  ModelPromises& found = tried.promises;
  try {
    // Records of one client are processed together: that of most records shows most.
    const auto shard = std::ranges::max_element(parts.shards, {}, &Dataset::size);
    // x is the state of all clients where each has a model.
    if (shard != parts.shards.end())
      found = promises_of(*model, *shard, ConstView(parts.x).first(plan.problem->dimension()));
    tried.origins = model->origins();
  } catch (const RunFailure& failure) {
    throw UserError(failure.what());
  }
  const bool bounds_records = std::isfinite(plan.bound->record_threshold());
  require(!bounds_records || found.failure.empty(), "{}", found.failure);
  require(
      found.separates || !bounds_records,
      "{}: {}, so no bound on a single record holds, as {} requires; change the model, or choose "
      "a method with local steps, such as fedavg",
      model->own_code(),
      found.repeats
          ? "the gradient of a record depends on the records processed with it (batch "
            "normalisation?)"
          : "the same call gives different gradients (dropout, random numbers, state between "
            "calls?)",
      plan.method_name);
  return tried;
}

std::optional<ModelRecord> model_record(const Plan& plan, const TriedModel& tried, Ranks& ranks) {
  const OwnModel* const model = plan.problem->as_own_model();
  if (model == nullptr) return {};
  const auto everywhere = [&](bool promise) { return ranks.smallest(promise ? 1 : 0) == 1; };
  const ModelOrigins origins = origins_everywhere(tried.origins, ranks);
  ModelRecord record{model->name(), model->file().sum(), origins.packages, origins.modules};
  record.repeats = everywhere(tried.promises.repeats);
  record.adds_up = everywhere(tried.promises.adds_up);
  record.separates = everywhere(tried.promises.separates);
  return record;
}

std::vector<std::string> notes_on(const std::optional<ModelRecord>& record,
                                  const std::string& code) {
  std::vector<std::string> notes;
  if (!record) return notes;
  for (const std::string& broken : broken_promises(*record))
    notes.push_back(fmt::format("{}: {}; `trilemma check-model` says more", code, broken));
  return notes;
}

}  // namespace trilemma
