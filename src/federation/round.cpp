#include "federation/round.hpp"

#include <algorithm>

namespace trilemma {
namespace {

Journal::Id declare(Journal& journal, const char* name, const char* units,
                    const char* description) {
  return journal.declare({name, units, description, Made::released, Metric::Kind::count});
}

}  // namespace

BitMetrics::BitMetrics(Journal& journal)
    : up_model(declare(journal, "bits_up_model", "bit",
                       "clients to server, the papers' own accounting")),
      up_payload(declare(journal, "bits_up_payload", "bit", "clients to server, exact encoding")),
      down_model(declare(journal, "bits_down_model", "bit",
                         "server to clients, the papers' own accounting")),
      down_payload(
          declare(journal, "bits_down_payload", "bit", "server to clients, exact encoding")),
      messages(declare(journal, "messages", "message", "updates that clients have sent")) {}

Round::Round(const Plan& plan, Assembly& parts, Exchange& exchange, UplinkTap* tap)
    : plan_(plan),
      parts_(parts),
      exchange_(exchange),
      tap_(tap),
      metrics_(*parts.journal),
      schedule_(plan.schedule.make()),
      shape_(plan.shape()),
      layout_(plan.compressor->layout()) {}

void Round::run(std::uint32_t round, Coordinates participants, PhaseTimer& timer) {
  const View state = parts_.x;
  exchange_.broadcast_model(state.first(shape_.down));
  timer.lap(Phase::broadcast);
  const auto mine = parts_.clients->run(round, participants, state, timer);
  if (plan_.separate_wait) {
    exchange_.barrier();
    timer.lap(Phase::wait);
  }
  const auto all = exchange_.gather_messages(mine, participants);
  timer.lap(Phase::exchange);
  parts_.clients->finish_round(round, state);
  timer.lap(Phase::local);
  if (parts_.server == nullptr) return;
  count_bits(all, participants.size());
  if (tap_ != nullptr) tap_->messages(round, participants, all);
  const auto mean = parts_.server->aggregate(round, participants, all, timer);
  if (tap_ != nullptr) tap_->mean(round, mean);
  parts_.server->step(round, state, timer);
}

void Round::count_bits(const Packets& all, std::size_t participants) {
  Journal& journal = *parts_.journal;
  const std::uint64_t clients = participants;
  const double value_bits = plan_.model_bits_per_value;
  journal.add(metrics_.messages, shape_.up > 0 ? clients : 0);
  const auto count_up = [&](std::uint64_t messages, std::size_t entries) {
    journal.add(metrics_.up_model,
                messages * static_cast<std::uint64_t>(layout_.model_bits(value_bits, entries)));
    journal.add(metrics_.up_payload, messages * layout_.payload_bits(entries));
  };
  if (layout_.varies)
    for (std::size_t i = 0; i < clients; ++i) count_up(1, layout_.entries(all[i].size()));
  else
    count_up(clients, layout_.count);
  const std::uint64_t receivers = plan_.memory->traits.works_without_sending
                                      ? static_cast<std::uint64_t>(plan_.clients)
                                      : clients;
  journal.add(metrics_.down_model, receivers * static_cast<std::uint64_t>(
                                                   value_bits * static_cast<double>(shape_.down)));
  journal.add(metrics_.down_payload, receivers * shape_.down * sizeof(real) * 8);
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
  exchange_.broadcast_bytes(drawn_);
  participants_.resize(drawn_.size() / sizeof(std::uint32_t));
  std::copy(drawn_.begin(), drawn_.end(), std::as_writable_bytes(std::span(participants_)).begin());
  return participants_;
}

}  // namespace trilemma
