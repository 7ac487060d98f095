#include "federation/round.hpp"

#include <algorithm>
#include <functional>

namespace trilemma {

Round::Round(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      tap_(tap),
      metrics_(*parts.metric_log),
      uplink_(
          row(uplinks(), plan.uplink)
              .make.make({.ranks = ranks,
                          .metric_log = *parts.metric_log,
                          .metrics = metrics_.up,
                          .compressor = plan.compressor.make(),
                          .dimension = plan.shape().state,
                          .stride = plan.shape().stride,
                          .seed = plan.seed,
                          .model_bits_per_value = plan.model_bits_per_value,
                          .is_server = parts.server != nullptr,
                          .tap = tap,
                          .reference_model =
                              [this](std::uint32_t client) { return reference_model(client); }})),
      downlink_(
          row(downlinks(), plan.downlink)
              .make({.ranks = ranks,
                     .metric_log = *parts.metric_log,
                     .metrics = metrics_.down,
                     .model_bits_per_value = plan.model_bits_per_value,
                     .compressor = plan.down_compressor ? plan.down_compressor.make() : nullptr,
                     .start = parts.x,
                     .seed = plan.seed})),
      schedule_(plan.schedule.make()),
      shape_(plan.shape()) {
  ranks.form_nodes(static_cast<int>(plan.ranks_per_node));
}

void Round::run(std::uint32_t round, Coordinates participants, PhaseTimer& timer, Starts* starts) {
  starts_ = starts;
  const View state = parts_.x;
  const bool is_for_all =
      plan_.memory->traits.works_without_sending || downlink_->reaches_everyone();
  const auto receivers = starts != nullptr ? starts->receivers()
                         : is_for_all      ? static_cast<std::uint64_t>(plan_.clients)
                                           : static_cast<std::uint64_t>(participants.size());
  const ConstView sent = downlink_->send(round, state.first(shape_.down), receivers);
  // Where nothing travels clients have the state since the start.
  const ConstView theirs = shape_.down > 0 ? sent : ConstView(state);
  Tasks tasks;
  if (starts != nullptr) {
    starts->received(theirs);
    tasks = [starts](std::uint32_t client) { return starts->task(client); };
  }
  timer.lap(Phase::broadcast);
  // By reference: so much does not fit into a std::function without memory of its own.
  const auto post = [&](const Packets& ready) { uplink_->post(round, participants, ready, timer); };
  const Outbox& mine =
      parts_.clients->run(round, participants, theirs, timer, std::cref(post), tasks,
                          [this](std::uint32_t client) { return reference_model(client); });
  if (plan_.separate_wait) {
    ranks_.barrier();
    timer.lap(Phase::wait);
  }
  const auto sum = uplink_->sum(round, participants, mine, timer);
  parts_.clients->finish_round(round, theirs);
  timer.lap(Phase::local);
  if (parts_.server == nullptr) return;
  step(round, participants, sum, timer, [&starts, &state](std::span<double> restored) {
    if (starts != nullptr) starts->relate(state, restored);
  });
}

void Round::step(std::uint32_t round, Coordinates participants, std::span<double> sum,
                 PhaseTimer& timer, const std::function<void(std::span<double>)>& relate) {
  const auto mean = parts_.server->aggregate(round, participants, sum, timer);
  if (tap_ != nullptr) tap_->mean(round, mean);
  parts_.server->step(round, parts_.x, timer, relate);
}

void Round::answer(std::uint32_t round, std::uint32_t client, const Task& task, PhaseTimer& timer) {
  const Coordinates one(&client, 1);
  const auto post = [&](const Packets& ready) { uplink_->post(round, one, ready, timer); };
  parts_.clients->run(round, one, task.model, timer, std::cref(post),
                      [&task](std::uint32_t) { return task; });
  parts_.clients->finish_round(round, task.model);
}

void Round::take(std::uint32_t round, Coordinates participants, std::uint64_t receivers,
                 PhaseTimer& timer, const std::function<void(std::span<double>)>& relate) {
  const Outbox nothing(plan_.compressor->layout());
  const auto sum = uplink_->sum(round, participants, nothing, timer);
  step(round, participants, sum, timer, relate);
  const std::size_t values = parts_.x.size();
  parts_.metric_log->add(metrics_.down.payload_bits, receivers * values * sizeof(real) * 8);
  parts_.metric_log->add(metrics_.down.model_bits,
                         receivers * static_cast<std::uint64_t>(plan_.model_bits_per_value *
                                                                static_cast<double>(values)));
}

ConstView Round::reference_model(std::uint32_t client) const {
  return starts_ != nullptr ? starts_->reference_model(client) : ConstView{};
}

// From the seed by every rank; or, where privacy rests on who was drawn, from rank 0's secret.
Coordinates Round::participants(std::uint32_t round) {
  if (!plan_.draws_secretly()) {
    schedule_->participants(round, participants_);
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
