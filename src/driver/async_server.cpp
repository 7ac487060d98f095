#include "driver/async_server.hpp"

#include <algorithm>

namespace trilemma {

AsyncServer::AsyncServer(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round,
                         ContactMetrics& notes)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      round_(round),
      notes_(notes),
      policy_(plan.policy.make()),
      newest_(static_cast<std::size_t>(ranks.place().size), -1) {
  notes_.set_time(0);
}

double AsyncServer::now() const { return before_ + now_seconds() - began_; }

int AsyncServer::rank_of(std::uint32_t client) const {
  const Placement& place = ranks_.place();
  int rank = place.first_host();
  while (static_cast<std::uint32_t>(place.first(rank) + place.count(rank)) <= client) ++rank;
  return rank;
}

// After a restart, jobs that were under way begin again from their first step.
void AsyncServer::start() {
  has_started_ = true;
  began_ = now_seconds();
  models_.keep(policy_->step(), parts_.x);
  if (policy_->step() == 0) handed_out_ = policy_->handed_out();
  policy_->start(now(), actions_);
  send_actions();
}

void AsyncServer::step(PhaseTimer& timer) {
  if (!has_started_) start();
  const std::uint32_t step = policy_->step();
  gather_reports(timer);
  const std::uint64_t receivers = participants_.size() + (step == 0 ? handed_out_ : 0);
  const bool own_models = plan_.method.steps.family == SolverFamily::averaged;
  const auto inputs = models_.inputs(server_step_, own_models ? models_.at(step) : ConstView{});
  round_.step(step, participants_, inputs, timer);
  round_.count_models(receivers);
  server_step_.time = now();
  notes_.observe(server_step_, step, true);
  server_steps_.push_back(server_step_);

  policy_->close(now(), actions_);
  models_.keep(policy_->step(), parts_.x);
  send_actions();
  const auto at_work = policy_->at_work();
  models_.retain(
      [&](std::uint32_t held) { return held == policy_->step() || at_work.contains(held); });
  timer.lap(Phase::broadcast);
}

// Receives letters until the policy has all updates of the open server step.
void AsyncServer::gather_reports(PhaseTimer& timer) {
  reports_.clear();
  server_step_.contacts.clear();
  policy_->open(now(), actions_);
  send_actions();
  while (!policy_->is_complete()) {
    const int from = ranks_.next_letter(letter_);
    if (from >= 0) {
      hear(from, letter_);
      // The watchdog counts a lap as progress, and only a letter proves that another rank is alive.
      timer.lap(Phase::wait);
    } else {
      policy_->pass(now(), actions_);
      if (actions_.empty()) back_off();
    }
    send_actions();
    show_life();
  }
  // The uplink expects the participants of a rank side by side, in the order of their messages.
  std::ranges::stable_sort(reports_, {}, &std::pair<int, std::uint32_t>::first);
  participants_.clear();
  for (const auto& [rank, client] : reports_) participants_.push_back(client);
  std::ranges::sort(server_step_.contacts, {}, &Contact::client);
}

void AsyncServer::hear(int from, std::span<const std::byte> letter) {
  const auto event = letter_in<Event>(letter);
  switch (event.kind) {
    case Event::Kind::done:
      return policy_->ready(event.client, now(), actions_);
    case Event::Kind::met:
      ++met_;
      return;
    case Event::Kind::report:
      break;
  }
  const LocalJob job = policy_->jobs()[event.client].front();
  const Request request = asked_.at(event.client);
  asked_.erase(event.client);
  server_step_.contacts.push_back({.client = event.client,
                                   .base = job.base,
                                   .steps = event.steps,
                                   .factor = request.alpha.factor(event.steps),
                                   .weight = request.weight,
                                   .number = job.number});
  reports_.emplace_back(from, event.client);
  notes_.count(event.client);
  policy_->report(event.client, event.steps, actions_);
  policy_->sent(event.client, now(), actions_);
}

void AsyncServer::send_actions() {
  const std::uint32_t step = policy_->step();
  const bool shows_model = plan_.method.steps.family == SolverFamily::averaged;
  for (const LocalJob& job : actions_.begin)
    send(rank_of(job.client), {.kind = Instruction::Kind::begin, .step = step, .job = job},
         job.base);
  for (const Request& request : actions_.ask) {
    const Instruction command{.kind = Instruction::Kind::ask, .step = step, .request = request};
    asked_[request.client] = request;
    const int to = rank_of(request.client);
    if (shows_model)
      send(to, command, step);
    else
      ranks_.send_letter(to, bytes_of(command), {});
  }
  actions_.clear();
}

// Sends a sign of life, so that the watchdogs of ranks that wait for rank 0 do not expire while it
// waits for slow clients. Not called during a server step, an evaluation or a write: a rank 0 that
// hangs there must be noticed.
void AsyncServer::show_life() {
  constexpr double letters_within_limit = 4;
  const double now = now_seconds();
  if (plan_.watchdog_seconds == 0 ||
      now - showed_life_ < plan_.watchdog_seconds / letters_within_limit)
    return;
  showed_life_ = now;
  const Instruction alive{.kind = Instruction::Kind::alive, .step = policy_->step()};
  for (int rank = 1; rank < ranks_.place().size; ++rank)
    ranks_.send_letter(rank, bytes_of(alive), {});
}

// Sends `command` and the model of version `model`, which is omitted if it was the last one sent to
// rank `to`.
void AsyncServer::send(int to, const Instruction& command, std::uint32_t model) {
  std::int64_t& newest = newest_[static_cast<std::size_t>(to)];
  if (newest == model) return ranks_.send_letter(to, bytes_of(command), {});
  newest = model;
  ranks_.send_letter(to, bytes_of(command), std::as_bytes(std::span(models_.at(model))));
}

// Calls all ranks to a meeting. The letters of a rank arrive in order, so none is under way when
// every rank has answered.
void AsyncServer::meet() {
  const Placement& place = ranks_.place();
  met_ = 0;
  for (int rank = 1; rank < place.size; ++rank)
    ranks_.send_letter(rank, bytes_of(Instruction{.step = policy_->step()}), {});
  while (met_ + 1 < static_cast<std::size_t>(place.size)) {
    const int from = ranks_.next_letter(letter_);
    from >= 0 ? hear(from, letter_) : back_off();
  }
  ranks_.finish_letters();
}

void AsyncServer::observe_state() {
  notes_.observe_contacts();
  if (plan_.method.steps.family == SolverFamily::averaged) return;
  for (const auto& [model, clients] : policy_->at_work()) {
    const double distance = models_.has(model) ? distance_squared(models_.at(model), parts_.x) : 0;
    for (std::uint32_t client = 0; client < clients; ++client) notes_.observe_distance(distance);
  }
}

void AsyncServer::persist(State& server) {
  parts_.server->persist(server);
  policy_->persist(server);
  models_.persist(server);
  notes_.persist(server);
  double seconds = has_started_ ? now() : before_;
  server.value(seconds);
  if (!has_started_) before_ = seconds;
  std::uint64_t count = server_steps_.size();
  server.value(count);
  server_steps_.resize(static_cast<std::size_t>(count));
  for (TimedStep& server_step : server_steps_) {
    server.value(server_step.time);
    server.values(server_step.contacts);
  }
}

}  // namespace trilemma
