#include "run/declared_metrics.hpp"

#include "comm/ledger.hpp"
#include "driver/contact_metrics.hpp"
#include "driver/node_scores.hpp"
#include "run/run_loop.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {
namespace {

bool has_metrics_of(const Plan& plan, bool is_replay, Metric::Runs runs) {
  using enum Metric::Runs;
  const bool is_real = plan.policy && !is_replay;
  switch (runs) {
    case all:
      return true;
    case with_server:
      return !plan.is_decentralised();
    case secure:
      return plan.secure_sum.is_on;
    case own_models:
      return plan.method.steps.has_model_of_each();
    case timed:
      return plan.clock || plan.policy;
    case simulated:
      return (plan.clock || plan.policy) && !is_real;
    case real:
      return is_real;
    case decentralised:
      return plan.is_decentralised();
    case evaluates_nodes:
      break;
  }
  return plan.evaluation.nodes > 0;
}

}  // namespace

std::vector<Metric> declared_metrics(std::size_t classes, const char* clock_units) {
  MetricLog log;
  declare_evaluation(log, classes, true);
  log.declare(epsilon_spent);
  BitMetrics{log};
  ClientMetrics{log};
  ServerMetrics{log};
  SecureMetrics{log};
  ContactMetrics{log, metric_of_simulated_time(clock_units), 0};
  log.declare(metric_of_real_time);
  ConsensusMetrics{log};
  NodeMetrics{log};
  EdgeMetrics{log};
  TrafficMetrics{log};
  return {log.metrics().begin(), log.metrics().end()};
}

std::vector<Metric> declared_metrics(const Plan& plan, bool is_replay) {
  // A clock is not made to be asked: it has memory for every client.
  const char* units = is_replay ? measured_units : simulated_units;
  auto metrics = declared_metrics(static_cast<std::size_t>(plan.source->classes()), units);
  std::erase_if(metrics, [&](const Metric& m) { return !has_metrics_of(plan, is_replay, m.runs); });
  return metrics;
}

}  // namespace trilemma
