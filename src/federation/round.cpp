#include "federation/round.hpp"

#include <algorithm>
#include <functional>

#include "base/region.hpp"
#include "experiment/joint.hpp"

namespace trilemma {
namespace {

// Returns the server's step for a rank that moves its model itself.
ClientStep client_step(const Plan& plan) {
  const std::shared_ptr<ServerStep> step = plan.method.step.make();
  step->prepare(step_setup(plan));
  return [step](std::uint32_t round, View model, std::span<const double> direction) {
    step->apply(round, model, direction);
  };
}

UplinkChoice chosen(const Plan& plan, Ranks& ranks) {
  ranks.form_nodes(static_cast<int>(plan.ranks_per_node));
  return uplink_of(plan, ranks.place().size, ranks.place().hosts(), ranks.nodes());
}

}  // namespace

Round::Round(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      tap_(tap),
      metrics_(*parts.metric_log),
      choice_(chosen(plan, ranks)),
      uplink_(row(uplinks(), choice_.uplink)
                  .make.make({.ranks = ranks,
                              .metric_log = *parts.metric_log,
                              .metrics = metrics_.up,
                              .compressor = make_compressor(plan, parts.sigma),
                              .dimension = plan.shape().sum(),
                              .stride = plan.shape().stride,
                              .seed = plan.seed,
                              .model_bits_per_value = plan.model_bits_per_value,
                              .is_server = parts.server != nullptr,
                              .secret = parts.server_secret.get(),
                              .tap = tap,
                              .reference_model =
                                  [this](std::uint32_t client) { return reference(client); }})),
      downlink_(row(downlinks(), plan.downlink)
                    .make.make(
                        {.ranks = ranks,
                         .metric_log = *parts.metric_log,
                         .metrics = metrics_.down,
                         .model_bits_per_value = plan.model_bits_per_value,
                         .compressor = plan.down_compressor ? plan.down_compressor.make() : nullptr,
                         .start = parts.x,
                         .seed = plan.seed,
                         .scalars = plan.shape().up,
                         .step = plan.method.clients_can_step ? client_step(plan) : nullptr})),
      schedule_(plan.schedule.make()),
      shape_(plan.shape()),
      no_messages_(plan.compressor->layout()) {}

void Round::run(std::uint32_t round, Coordinates participants, PhaseTimer& timer) {
  const auto receivers = plan_.reaches_everyone() ? static_cast<std::uint64_t>(plan_.clients)
                                                  : static_cast<std::uint64_t>(participants.size());
  work(round, participants, broadcast(round, receivers, timer), {}, timer);
  step(round, participants, {}, timer);
  const auto direction =
      parts_.server != nullptr ? parts_.server->direction() : std::span<const double>();
  downlink_->end_round(round, parts_.x, direction, receivers);
  timer.lap(Phase::broadcast);
}

ConstView Round::broadcast(std::uint32_t round, std::uint64_t receivers, PhaseTimer& timer) {
  const Region region("broadcast");
  const View state = parts_.x;
  const ConstView sent = downlink_->send(round, state.first(shape_.down), receivers);
  timer.lap(Phase::broadcast);
  // If no model is sent, the clients have had the state since the start.
  return shape_.down > 0 ? sent : ConstView(state);
}

void Round::work(std::uint32_t round, Coordinates participants, ConstView model, RoundInputs inputs,
                 PhaseTimer& timer) {
  const Region region("clients");
  round_ = round;
  model_ = model;
  inputs_ = inputs;
  // By reference, since std::function would allocate memory for a copy of all captures.
  const auto post = [&](const Packets& ready) { uplink_->post(round, participants, ready, timer); };
  own_ = &parts_.clients->run(round, participants, model, timer, inputs, std::cref(post));
}

void Round::finish() {
  if (own_ == nullptr) return;
  own_ = nullptr;
  parts_.clients->finish_round(round_, model_);
}

void Round::step(std::uint32_t round, Coordinates participants, RoundInputs inputs,
                 PhaseTimer& timer) {
  const Region region("server");
  inputs_ = inputs;
  if (own_ != nullptr && plan_.separate_wait) {
    ranks_.barrier();
    timer.lap(Phase::wait);
  }
  const double noise = own_ != nullptr ? parts_.clients->noise_factor() : 1;
  const auto sum = [&] {
    const Region exchange("exchange");
    return uplink_->sum(round, participants, own_ != nullptr ? *own_ : no_messages_, timer);
  }();
  finish();
  timer.lap(Phase::local);
  if (parts_.server == nullptr) return;
  const auto mean = parts_.server->aggregate(round, participants, sum, timer, noise);
  if (tap_ != nullptr) tap_->mean(round, mean);
  parts_.server->step(round, parts_.x, timer, inputs);
}

void Round::count_models(std::uint64_t receivers) {
  add_models(*parts_.metric_log, metrics_.down, receivers, parts_.x.size(),
             plan_.model_bits_per_value);
}

ConstView Round::reference(std::uint32_t client) {
  return reference_model(inputs_of(inputs_, client), reference_);
}

// Stops the run, on every rank, where masks could not be removed. Their number is known beforehand
// (check_joint()), and the neighbours of a client are few.
void Round::require_survivors(std::uint32_t round, Coordinates survivors) {
  const accounting::MaskTask task = mask_task(plan_);
  expect(task.clients - survivors.size() <= task.dropouts,
         "no more clients drop out than the noise allows");
  if (const auto lost = parts_.masks->lost_client(round, survivors))
    throw RunFailure(fmt::format(
        "round {}: too few neighbours of client {} are left to restore its keys, so the sum is not "
        "opened; raise secagg.dropouts, or lower participation.probability",
        round + 1, *lost));
}

// Every rank draws the participants from the seed; if privacy rests on the draw, rank 0 draws them
// from its secret and broadcasts them.
Coordinates Round::participants(std::uint32_t round) {
  if (!plan_.draws_secretly()) {
    schedule_->participants(round, participants_);
    if (plan_.secure_sum.is_on) require_survivors(round, participants_);
    return participants_;
  }
  drawn_.clear();
  if (parts_.server != nullptr) {
    schedule_->participants(round, participants_, parts_.server_secret.get());
    const auto drawn = std::as_bytes(std::span(participants_));
    drawn_.assign(drawn.begin(), drawn.end());
  }
  ranks_.broadcast_bytes(drawn_);
  participants_.resize(drawn_.size() / sizeof(std::uint32_t));
  std::copy(drawn_.begin(), drawn_.end(), std::as_writable_bytes(std::span(participants_)).begin());
  return participants_;
}

}  // namespace trilemma
