#include "driver/node_scores.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

constexpr std::uint32_t key_of_nodes = 2;  // distinguishes the draw from others of its purpose

std::vector<std::uint32_t> choose_nodes(const Plan& plan) {
  std::vector<std::uint32_t> chosen;
  if (plan.evaluation.nodes > 0)
    SubsetDraw()({plan.seed, Purpose::graph, key_of_nodes}, static_cast<std::size_t>(plan.clients),
                 static_cast<std::size_t>(plan.evaluation.nodes), chosen);
  return chosen;
}

}  // namespace

NodeScores::NodeScores(const DriverSetup& setup)
    : plan_(setup.plan),
      parts_(setup.parts),
      ranks_(setup.ranks),
      chosen_(choose_nodes(setup.plan)) {
  if (chosen_.empty()) return;
  model_.resize(parts_.x.size());
  metrics_.emplace(*parts_.metric_log);
}

int NodeScores::host_of(std::uint32_t node) const {
  const Placement& place = ranks_.place();
  int rank = 0;
  while (static_cast<std::uint32_t>(place.first(rank) + place.count(rank)) <= node) ++rank;
  return rank;
}

void NodeScores::observe(const NodeSide& nodes) {
  const Placement& place = ranks_.place();
  double objective = -std::numeric_limits<double>::infinity();
  double accuracy = std::numeric_limits<double>::infinity();
  std::uint32_t worst = 0;
  for (const std::uint32_t node : chosen_) {
    const int host = host_of(node);
    if (host == place.rank)
      std::ranges::copy(nodes.model(node - static_cast<std::uint32_t>(place.first(host))),
                        model_.begin());
    ranks_.broadcast_from(host, model_, Use::evaluation);
    const Metrics scores = parts_.evaluator->scores_of(model_, ranks_, plan_.evaluation.objective);
    if (!std::isnan(objective) && !(scores.objective <= objective)) {
      objective = std::isfinite(scores.objective) ? scores.objective : Metrics::none;
      worst = node;
    }
    if (!(accuracy <= scores.accuracy)) accuracy = scores.accuracy;
  }
  if (chosen_.empty() || place.rank != 0) return;
  parts_.metric_log->set(metrics_->objective, objective);
  if (plan_.evaluation.objective) parts_.metric_log->set(metrics_->node, worst);
  parts_.metric_log->set(metrics_->accuracy, accuracy);
}

}  // namespace trilemma
