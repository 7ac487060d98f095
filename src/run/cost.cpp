#include "run/cost.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr double least_seconds = 600;  // of a run whose cost is worth a sentence
// A gradient is one pass up and two products down for each product of the loss.
constexpr double passes = 3;

// Returns the mean number of local steps of a server step. A simulated clock, on which contacts
// interrupt local steps, says how many the first server steps have.
double local_steps(const Plan& plan) {
  if (!plan.clock) return plan.participants() * static_cast<double>(plan.method.steps.count);
  constexpr long most = 1000;
  const long count = std::clamp(plan.rounds, 1L, most);
  const auto clock = plan.clock.make();
  TimedStep server_step;
  double steps = 0;
  for (long s = 0; s < count; ++s) {
    clock->next(server_step);
    for (const Contact& contact : server_step.contacts) steps += contact.steps;
  }
  return steps / static_cast<double>(count);
}

// Returns the mean number of gradients of records in a server step, or of losses as their share of
// one.
double gradients_of_round(const Plan& plan, double shard) {
  const double batch = plan.uses_batch ? std::min(static_cast<double>(plan.batch), shard) : shard;
  if (!plan.takes_steps()) return plan.participants() * batch;
  const LocalSteps& steps = plan.method.steps;
  const bool passes_all = steps.is_pass || steps.counts_epochs;
  const double each = steps.family == SolverFamily::zeroth_order
                          ? static_cast<double>(1 + steps.perturbations) / passes
                          : 1;
  return local_steps(plan) * each * (passes_all ? shard : batch);
}

std::string duration_in_words(double seconds) {
  if (seconds < 5400) return fmt::format("{:.0f} minutes", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

}  // namespace

double RunCost::duration() const {
  return seconds * (gradients + evaluations) / static_cast<double>(hosts);
}

RunCost work_of(const Plan& plan, const Assembly& parts, const Placement& place) {
  RunCost cost;
  const double shard =
      0.5 * static_cast<double>(parts.shard_records.least + parts.shard_records.most);
  const auto rounds = static_cast<double>(plan.rounds);
  cost.gradients = rounds * gradients_of_round(plan, shard);
  if (plan.evaluation.objective) {
    const EvaluationPlan& when = plan.evaluation;
    const double times = !when.at.empty() ? static_cast<double>(when.at.size())
                         : when.every > 0 ? rounds / static_cast<double>(when.every)
                                          : 1;
    cost.evaluations = (1 + times) * shard * static_cast<double>(plan.clients);
  }
  cost.products = parts.problem->products();
  cost.hosts = std::max(1, place.hosts());
  return cost;
}

double measured_gradient(const RunCost& work, Assembly& parts) {
  if (parts.shards.empty()) return 0;
  const Dataset& shard = parts.shards.front();
  const std::size_t block = std::min(summed_rows(*parts.problem), shard.size());
  const double each = (work.gradients + work.evaluations) / static_cast<double>(work.hosts);
  if (block == 0 || each < 1000 * static_cast<double>(block)) return 0;
  std::vector<std::uint32_t> rows(block);
  std::iota(rows.begin(), rows.end(), 0U);
  const std::size_t dimension = parts.problem->dimension();
  RecordGradients gradients(*parts.problem, {});
  Vector sum(dimension, real{0});
  const auto begin = std::chrono::steady_clock::now();
  gradients.add(shard, rows, ConstView(parts.x).first(dimension), 1, sum);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(block);
}

std::string in_words(const RunCost& cost) {
  if (!(cost.duration() >= least_seconds)) return "";
  const double all = cost.gradients + cost.evaluations;
  const std::string products =
      cost.products == 0 ? "" : fmt::format(" of {:.3g} multiply-adds", passes * cost.products);
  const double rate = passes * cost.products / cost.seconds;
  const std::string speed = cost.products == 0 ? "" : fmt::format(", {:.3g} GFLOP/s", 2e-9 * rate);
  return fmt::format(
      "about {} on {}: {:.3g} gradients of records{}, {:.3g} ms each on this machine{}; test scores "
      "and communication come on top",
      duration_in_words(cost.duration()),
      counted(static_cast<std::size_t>(cost.hosts), "hosting rank"), all, products,
      1e3 * cost.seconds, speed);
}

}  // namespace trilemma
