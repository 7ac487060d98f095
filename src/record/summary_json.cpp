#include <nlohmann/json.hpp>

#include <cmath>

#include "record/summary.hpp"

namespace trilemma {
namespace {

using nlohmann::ordered_json;

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : nullptr; }

ordered_json others(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, units, last, is_count] : s.others)
    json[name] = is_count ? ordered_json(whole(last)) : finite(last);
  return json;
}

ordered_json phases(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& phase : s.phases)
    json[phase.name] = {
        {"mean", phase.mean}, {"max", phase.most}, {"critical_path", phase.critical}};
  return json;
}

// Null if withheld.
ordered_json bits(const Summary::Bits& b) {
  const auto count = [](double value) {
    return std::isnan(value) ? ordered_json() : ordered_json(whole(value));
  };
  return {{"model", count(b.model)}, {"payload", count(b.payload)}, {"mpi", count(b.mpi)}};
}

}  // namespace

std::string to_json(const Summary& s) {
  const ordered_json json = {
      {"file", s.path},
      {"name", s.name},
      {"method", s.method},
      {"mode", s.mode},
      {"problem", s.problem},
      {"data", s.data},
      {"compressor", s.compressor},
      {"seed", s.seed},
      {"clients", s.clients},
      {"dimension", s.dimension},
      {"ranks", s.ranks},
      {"simulation", s.simulation},
      {"restarts", s.restarts},
      {"rounds", s.rounds_done},
      {"rounds_planned", s.rounds},
      {"extended_from", s.extended_from},
      {"objective_final", finite(s.objective_final)},
      {"objective_best", finite(s.objective_best)},
      {"grad_norm_sq_final", finite(s.gradient_norm_squared_final)},
      {"utility", finite(s.utility)},
      {"states_evaluated", s.states_evaluated},
      {"accuracy_final", finite(s.accuracy_final)},
      {"test_loss_final", finite(s.test_loss_final)},
      {"test_error_final", finite(s.test_error_final)},
      {"client_score_final", finite(s.client_score_final)},
      {"baseline_score", finite(s.baseline_score)},
      {"baseline_personal_score", finite(s.baseline_personal_score)},
      {"bits_up", bits(s.up)},
      {"bits_down", bits(s.down)},
      {"other_columns", others(s)},
      {"seconds_total", finite(s.wall_seconds)},
      {"seconds_per_phase", phases(s)},
      {"seconds_critical_path", s.critical_seconds},
      {"critical_rank", s.critical_rank},
      {"rounds_per_second", finite(s.rounds_per_second)},
      {"noise_sigma", s.noise_sigma},
      {"epsilon_nominal", finite(s.epsilon_nominal)},
      {"epsilon_accounted", finite(s.privacy.epsilon)},
      {"epsilon_lower", finite(s.privacy.epsilon_lower)},
      {"accountant_status", s.privacy.accountant_status},
      {"epsilon_spent", finite(s.epsilon_spent)},
      {"epsilon_crosscheck", finite(s.privacy.crosscheck_epsilon)},
      {"dp_claim", s.privacy.dp_claim},
      {"relation", s.privacy.relation},
      {"delta", finite(s.delta)},
      {"claim", s.claim},
      {"complete", s.complete},
      {"content", name(s.content)},
      {"failure", s.failure},
      {"model_sha256", s.model_sha256},
  };
  // Text of a file may have bytes that JSON cannot hold.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace trilemma
