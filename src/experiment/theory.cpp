#include "experiment/theory.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "experiment/budget.hpp"
#include "experiment/client_records.hpp"
#include "experiment/fingerprint.hpp"
#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Keys that the theory of some method states.
struct TheoryKey {
  const char* section;
  const char* key;
};
constexpr TheoryKey rounds_key{"", "rounds"};
constexpr TheoryKey batch_key{"local", "batch"};
constexpr TheoryKey snapshot_key{"local", "snapshot_probability"};
constexpr TheoryKey rate_key{"server", "rate"};

Settings table_of(const Settings& s, const TheoryKey& at) {
  return std::string_view(at.section).empty() ? s : s.section(at.section);
}

bool is_anything_left(const Plan& plan) {
  const LeftToTheory& left = plan.left_to_theory;
  return left.rounds || left.batch || left.snapshot || !plan.method.theory.rate;
}

bool needs_smoothness(const Plan& plan) {
  return plan.left_to_theory.rounds || !plan.method.theory.rate ||
         (plan.left_to_theory.batch && plan.method.theory.corollary == Corollary::sgd);
}

// Returns the key that the messages on a missing constant name.
TheoryKey first_left(const Plan& plan) {
  if (!plan.method.theory.rate) return rate_key;
  if (plan.left_to_theory.rounds) return rounds_key;
  return plan.left_to_theory.batch ? batch_key : snapshot_key;
}

RecordFacts find_facts(const Plan& plan, const std::string& folder) {
  PartitionedData records = partition_records(plan, folder);
  records.data.train.prepare();
  RecordFacts found{.least = records.data.train.size()};
  for (const auto& client : records.partition.client) {
    found.least = std::min(found.least, client.size());
    found.most = std::max(found.most, client.size());
    for (const auto record : client)
      found.largest_norm = std::max(found.largest_norm, records.data.train.row_norm[record]);
  }
  return found;
}

RecordFacts facts_of(const Settings& s, const Plan& plan, DataFolder* data) {
  if (data == nullptr) {
    require(
        plan.source->files().empty(),
        "{}: a key is left to the theory, which needs the data, and they are not read here; set "
        "the value",
        s.file());
    return find_facts(plan, "");
  }
  std::string settings;
  for (const auto& [key, value] : record_settings(s.records()))
    settings += fmt::format("{} = {}\n", key, value);
  return data->facts(settings, [&] { return find_facts(plan, data->path()); });
}

// Refuses a missing L before the records are read.
void require_smoothness(const Settings& s, const Plan& plan) {
  const TheorySettings& theory = plan.method.theory;
  const bool is_known = theory.smoothness ||
                        (theory.smoothness_from_records && plan.problem->smoothness(0).has_value());
  if (is_known) return;
  const Settings server = s.section("server");
  if (server.says("smoothness_from", "records"))
    server.refuse("smoothness_from",
                  "no smoothness constant of this problem follows from its records; set "
                  "server.smoothness");
  if (!needs_smoothness(plan)) return;
  const TheoryKey key = first_left(plan);
  table_of(s, key).refuse(
      key.key,
      "needs the smoothness constant L of the problem, which is computed for the logistic problem "
      "only; set server.smoothness");
}

void settle_smoothness(const Settings& s, Plan& plan, const RecordFacts& facts) {
  TheorySettings& theory = plan.method.theory;
  if (!theory.smoothness_from_records || theory.smoothness) return;
  theory.smoothness = plan.problem->smoothness(facts.largest_norm);
  s.section("server").resolve("smoothness", *theory.smoothness);
}

bool starts_at_zero(const StartPlan& start) {
  return !start.file.is_set() && !start.at_optimum &&
         (start.law == StartLaw::zero || (!has_own_size(start.law) && start.scale == 0));
}

void settle_suboptimality(const Settings& s, Plan& plan) {
  TheorySettings& theory = plan.method.theory;
  if (!theory.suboptimality && starts_at_zero(plan.start)) {
    theory.suboptimality = plan.problem->suboptimality_of_zero();
    if (theory.suboptimality) s.section("server").resolve("suboptimality", *theory.suboptimality);
  }
  if (plan.left_to_theory.rounds && !theory.suboptimality)
    s.refuse("rounds",
             "needs a bound on f(x^0) - min f, which is known for the logistic problem from the "
             "start at zero only; set server.suboptimality");
}

TheoryCase case_of(const Plan& plan, std::size_t records) {
  const auto m = static_cast<double>(records);
  const auto batch = static_cast<double>(plan.batch);
  return {.corollary = plan.method.theory.corollary,
          .clients = static_cast<double>(plan.clients),
          .records = m,
          .dimension = static_cast<double>(plan.shape().up),
          .omega = plan.compressor->traits().omega,
          .threshold = plan.bound->threshold(),
          .smoothness = plan.method.theory.smoothness.value_or(1),
          .batch = std::min(batch, m),
          .snapshot = plan.snapshot_probability.value_or(std::min(1.0, batch / m))};
}

// Returns the noise from which the value of a key follows.
TheoryNoise noise_for(const Settings& s, const Plan& plan, const TheoryKey& key) {
  const auto& p = plan.privacy;
  if (!p.epsilon || !p.delta)
    table_of(s, key).refuse(key.key,
                            "follows from privacy.epsilon and privacy.delta, which are not both "
                            "set; set them, or a number here");
  if (!std::isfinite(plan.bound->threshold()))
    table_of(s, key).refuse(key.key,
                            "follows from a norm bound G of records; set bound.kind = "
                            "\"clip-record\", or a number here");
  return {.epsilon = *p.epsilon,
          .delta = *p.delta,
          .constant = p.constant.value_or(plan.method.noise_constant)};
}

void settle_batch(const Settings& s, Plan& plan, std::size_t records) {
  Settings local = s.section("local");
  if (plan.left_to_theory.batch) {
    const bool needs_noise = plan.method.theory.corollary == Corollary::sgd;
    plan.batch = theory_batch(case_of(plan, records),
                              needs_noise ? noise_for(s, plan, batch_key) : TheoryNoise{});
    local.resolve("batch", plan.batch);
  }
  if (!plan.left_to_theory.snapshot) return;
  plan.snapshot_probability = theory_snapshot(case_of(plan, records));
  local.resolve("snapshot_probability", *plan.snapshot_probability);
}

void settle_rate(const Settings& s, Plan& plan, std::size_t records) {
  TheorySettings& theory = plan.method.theory;
  if (theory.rate) return;
  Settings server = s.section("server");
  const double rate = theory_rate(case_of(plan, records));
  if (!(rate > 0))
    server.refuse("rate",
                  "the theorem allows no step size without snapshots; set "
                  "local.snapshot_probability to more than 0, or a number here");
  theory.rate = rate;
  plan.method.step = make_constant_step(rate);
  server.resolve("rate", rate);
}

void settle_rounds(Settings& s, Plan& plan, std::size_t records) {
  if (!plan.left_to_theory.rounds) return;
  const double rounds = theory_rounds(case_of(plan, records), noise_for(s, plan, rounds_key),
                                      *plan.method.theory.suboptimality);
  if (!(rounds <= most_rounds))
    s.refuse("rounds",
             fmt::format("the theory asks for {:.3g} rounds, and a run has at most {:.0f}; "
                         "set a number",
                         rounds, most_rounds));
  plan.rounds = static_cast<long>(rounds);
  s.resolve("rounds", plan.rounds);
}

// Returns why the theorem states no bound for a run; `holds` if it does.
BoundStatus bound_status(const Plan& plan, const TheoryCase& c) {
  const TheorySettings& theory = plan.method.theory;
  constexpr double rounding = 1e-9;
  if (plan.bound->what() != Bounds::record || plan.bound->smooths_records())
    return BoundStatus::other_bound;
  if (plan.sampler && plan.sampler->scheme() != accounting::Sampling::poisson)
    return BoundStatus::other_sampling;
  if (plan.downlink != "plain") return BoundStatus::compressed_down;
  const double step = theory_shift_step(c.omega);
  if (!(std::abs(plan.step_of_memory() - step) <= rounding * step))
    return BoundStatus::other_shift_step;
  if (!theory.smoothness) return BoundStatus::no_smoothness;
  if (!(*theory.rate <= theorem_rate(c) * (1 + rounding))) return BoundStatus::step_too_large;
  return theory.suboptimality ? BoundStatus::holds : BoundStatus::no_suboptimality;
}

}  // namespace

void refuse_theory(const Settings& s, const Row<MethodMaker>& method) {
  Settings scratch = Settings::empty();
  if (method.make(scratch).theory.corollary != Corollary::none) return;
  for (const TheoryKey& at : {rounds_key, batch_key, snapshot_key, rate_key})
    if (const Settings table = table_of(s, at); table.says(at.key, theory_word))
      table.refuse(at.key, fmt::format("method {} has no theory that states this value; set a "
                                       "number, or choose a method such as soteriafl-sgd",
                                       method.name));
}

void settle_theory(Settings& s, Plan& plan, DataFolder* data) {
  const TheorySettings& theory = plan.method.theory;
  if (s.lists() || theory.corollary == Corollary::none) return;
  require_smoothness(s, plan);
  const bool computes_smoothness = theory.smoothness_from_records && !theory.smoothness;
  RecordFacts facts;
  if (is_anything_left(plan) || computes_smoothness) facts = facts_of(s, plan, data);
  settle_smoothness(s, plan, facts);
  settle_suboptimality(s, plan);
  settle_batch(s, plan, facts.least);
  settle_rate(s, plan, facts.least);
  settle_rounds(s, plan, facts.least);
}

std::optional<TheoryRecord> theory_record(const Plan& plan, double sigma,
                                          const ShardSizes& shards) {
  const TheorySettings& theory = plan.method.theory;
  if (theory.corollary == Corollary::none) return {};
  // The probability of a snapshot follows from the smallest client; the variance grows with m.
  TheoryCase c = case_of(plan, shards.least);
  c.records = static_cast<double>(shards.most);
  TheoryRecord record;
  record.status = bound_status(plan, c);
  record.rate = *theory.rate;
  record.threshold = c.threshold;
  record.beta = theory_beta(c);
  if (theory.suboptimality) record.suboptimality = *theory.suboptimality;
  if (!theory.smoothness) return record;
  record.smoothness = *theory.smoothness;
  record.largest_rate = theorem_rate(c);
  if (record.status == BoundStatus::holds)
    record.bound = utility_bound(c, *theory.rate, static_cast<double>(plan.rounds), sigma,
                                 *theory.suboptimality);
  return record;
}

}  // namespace trilemma
