#include "federation/server_side.hpp"

#include <cmath>

#include "numeric/lanes.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {
namespace {

// Replaces the client number in the address of the server's noise; clients have smaller numbers.
constexpr std::uint32_t server_client = 0xFFFFFFFFU;

}  // namespace

MetricLog::Id SecureMetrics::declare(const char* name, const char* description) {
  return metric_log.declare(
      {.name = name,
       .units = "bit",
       .description = description,
       .provenance = {Provenance::message_sizes, Provenance::participant_numbers},
       .kind = Metric::Kind::count,
       .better = Metric::Better::lower,
       .runs = Metric::Runs::secure});
}

ServerSide::ServerSide(const ServerParts& parts, std::uint64_t seed) : parts_(parts), seed_(seed) {
  if (parts.metric_log == nullptr) return;
  metrics_.emplace(*parts.metric_log);
  parts.metric_log->set(metrics_->mean_norm, 0);
  parts.metric_log->set(metrics_->noise_norm, 0);
  if (parts.secure) secure_metrics_.emplace(*parts.metric_log);
}

// With weights, returns the divisor of sum_k n_k u_k / sum_k n_k over the participants k (McMahan
// et al. 2017, algorithm 1 as corrected in 2023). Without participants the sum is 0 for any
// divisor.
double ServerSide::divisor(Coordinates participants) const {
  if (parts_.weights.empty() || participants.empty()) return parts_.divisor;
  double total = 0;
  for (const std::uint32_t client : participants) total += parts_.weights[client];
  return total;
}

std::span<const double> ServerSide::aggregate(std::uint32_t round, Coordinates participants,
                                              std::span<double> sum, PhaseTimer& timer,
                                              double noise_factor) {
  mean_ = sum;
  if (parts_.secure) unmask(round, participants, mean_);
  parts_.words.restore(mean_, participants.size());
  const double share = 1.0 / divisor(participants);
  for (auto& value : mean_) value *= share;
  const double norm = std::sqrt(norm_squared<double>(mean_));
  parts_.metric_log->set(metrics_->mean_norm, norm);
  timer.lap(Phase::decode);
  const Support sent = parts_.mask == nullptr
                           ? Support::all()
                           : parts_.mask->support({seed_, Purpose::mask, 0, round}, sent_);
  parts_.metric_log->set(
      metrics_->noise_norm,
      perturb_mean(mean_, sent, parts_.sigma * noise_factor,
                   {seed_, Purpose::noise, server_client, round, parts_.secret}, noise_));
  timer.lap(Phase::perturb);
  return mean_;
}

// Removes the masks that are left in the sum, and counts the bits of the protocol.
void ServerSide::unmask(std::uint32_t round, Coordinates participants, std::span<double> sum) {
  const SecureParts& secure = *parts_.secure;
  if (secure.masks != nullptr) secure.masks->remove(round, participants, sum);
  const MaskTraffic traffic = mask_traffic(secure.graph, secure.clients, participants.size());
  parts_.metric_log->add(secure_metrics_->up, traffic.up);
  parts_.metric_log->add(secure_metrics_->down, traffic.down);
}

void ServerSide::step(std::uint32_t round, View x, PhaseTimer& timer, RoundInputs inputs) {
  parts_.memory->restore(mean_);
  if (parts_.rotation != nullptr) parts_.rotation->undo(mean_);
  if (parts_.averages_models) relate(x, inputs);
  parts_.step->apply(round, x, mean_);
  timer.lap(Phase::server);
}

// Adds sum_i weight_i (x - x_start_i) / s for s expected contacts.
void ServerSide::relate(ConstView x, RoundInputs inputs) {
  for (const ClientInputs& own : inputs) {
    const ConstView start = own.task.model;
    const double share = own.weight / parts_.divisor;
    for (std::size_t j = 0; j < mean_.size(); ++j)
      mean_[j] += share * (static_cast<double>(x[j]) - static_cast<double>(start[j]));
  }
}

void ServerSide::persist(State& state) {
  parts_.memory->persist(state);
  parts_.step->persist(state);
  if (parts_.secret != nullptr) parts_.secret->persist(state);
}

}  // namespace trilemma
