#include "schedule/simulated_clock.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trilemma {
namespace {

long most_steps(const AsyncPolicy& policy) {
  std::uint32_t most = 1;
  for (const auto& of_client : policy.jobs())
    for (const LocalJob& job : of_client) most = std::max(most, job.steps);
  return most;
}

}  // namespace

SimulatedClock::SimulatedClock(ClockSettings settings, std::unique_ptr<AsyncPolicy> policy,
                               const PolicySetup& setup)
    : settings_(std::move(settings)),
      policy_(std::move(policy)),
      seed_(setup.seed),
      law_(settings_.make_law(setup)),
      counter_(*law_, setup.clients, most_steps(*policy_), settings_.keeps),
      started_(setup.clients),
      at_server_(setup.clients, 0) {
  policy_->start(0, actions_);
  obey();
}

void SimulatedClock::fill(TimedStep& server_step) {
  server_step_ = &server_step;
  // Sums of times are rounded. Restarting at 0 makes a server step in which all clients begin
  // together independent of earlier steps.
  if (under_way_ == 0) {
    origin_ += now_;
    now_ = 0;
  }
  policy_->open(time(), actions_);
  obey();
  policy_->pause() ? interrupt() : wait();
  server_step.time = time();
  std::sort(server_step.contacts.begin(), server_step.contacts.end(),
            [](const Contact& a, const Contact& b) { return a.client < b.client; });
  policy_->close(time(), actions_);
  obey();
  continue_clients();
}

// Server step k ends at k (pause + interaction), and clients work until then.
void SimulatedClock::interrupt() {
  now_ = (*policy_->pause() + settings_.interaction) * (step() + 1.0);
  if (policy_->is_complete()) return;
  policy_->pass(std::max(now_, policy_->deadline()), actions_);
  obey();
}

// The server step is complete with its last update and then takes `interaction` more time, during
// which clients continue to work.
void SimulatedClock::wait() {
  while (!policy_->is_complete()) next_event();
  use_updates();
  const double end = now_ + settings_.interaction;
  if (end == now_) return;
  continue_clients();
  while (!queue_.empty() && queue_.top().time < end) {
    finish_job();
    continue_clients();
  }
  now_ = end;
}

// Marks the updates of the complete server step as used; held updates of the same clients arrive
// now.
void SimulatedClock::use_updates() {
  for (const std::uint32_t client : used_) {
    --at_server_[client];
    if (started_[client].empty() || !started_[client].front().is_ahead) continue;
    Started& next = started_[client].front();
    next.is_ahead = false;
    catches_up(next.job.base);
    if (std::exchange(next.is_held, false)) queue_.push({now_, client, next.job.number});
  }
  used_.clear();
}

// Processes the next finished job, or advances to the next time at which an event is possible.
void SimulatedClock::next_event() {
  if (!queue_.empty() && queue_.top().time <= now_) return finish_job();
  continue_clients();
  policy_->pass(time(), actions_);
  obey();
  if (policy_->is_complete()) return;
  double next = policy_->deadline() - origin_;
  if (!queue_.empty()) next = std::min(next, queue_.top().time);
  if (!(next < std::numeric_limits<double>::infinity()))
    throw std::logic_error("the policy waits for clients that have no job");
  now_ = std::max(now_, next);
}

void SimulatedClock::finish_job() {
  const End end = queue_.top();
  queue_.pop();
  auto& of_client = started_[end.client];
  const auto found = std::find_if(of_client.begin(), of_client.end(), [&](const Started& started) {
    return started.job.number == end.number;
  });
  if (found == of_client.end()) return;  // its update was taken before its end
  now_ = std::max(now_, end.time);
  if (found->is_ahead) {
    found->is_held = true;
    return;
  }
  found->is_done = true;
  ++at_server_[end.client];
  sent_.push_back(end.client);
  policy_->ready(end.client, time(), actions_);
  obey();
}

void SimulatedClock::continue_clients() {
  is_continuing_ = true;
  for (const std::uint32_t client : sent_) {
    policy_->sent(client, time(), actions_);
    obey();
  }
  is_continuing_ = false;
  sent_.clear();
}

void SimulatedClock::obey() {
  for (std::size_t begun = 0, asked = 0;
       begun < actions_.begin.size() || asked < actions_.ask.size();)
    if (begun < actions_.begin.size())
      begin(LocalJob(actions_.begin[begun++]));
    else
      take(Request(actions_.ask[asked++]));
  actions_.clear();
}

// A client does its jobs one after another.
void SimulatedClock::begin(const LocalJob& job) {
  auto& of_client = started_[job.client];
  Started next{.job = job, .begin = now_, .end = now_};
  if (!of_client.empty()) next.begin = std::max(now_, of_client.back().end);
  next.is_ahead = is_continuing_ && at_server_[job.client] > 0;
  next.is_ahead ? begins_ahead(job.base) : begins(job.base);
  if (!policy_->pause()) {
    next.end = settings_.end_of_job(*law_, {seed_, job.client, job.number},
                                    static_cast<long>(job.steps), next.begin);
    queue_.push({next.end, job.client, job.number});
  }
  next.begin += origin_;
  of_client.push_back(next);
  ++under_way_;
}

void SimulatedClock::take(const Request& request) {
  auto& of_client = started_[request.client];
  const Started started = of_client.front();
  of_client.pop_front();
  --under_way_;
  if (started.is_done) used_.push_back(request.client);
  const std::uint32_t steps = progress(started);
  report(*server_step_,
         {.client = request.client,
          .base = started.job.base,
          .steps = steps,
          .factor = request.alpha.factor(steps),
          .weight = request.weight,
          .number = started.job.number},
         started.begin);
  policy_->report(request.client, steps, actions_);
}

// Returns the local steps done so far of a job that the server asks for now.
std::uint32_t SimulatedClock::progress(const Started& started) {
  const LocalJob& job = started.job;
  if (started.is_done) return job.steps;
  Stream stream(step_times_of(seed_, job.client, job.number));
  if (policy_->pause())
    return settings_.draws_steps ? drawn_steps(job, stream)
                                 : counter_.take(job.client, now_, stream);
  const double time_of_all = settings_.one_draw ? law_->draw(job.client, stream) : 0;
  double end = started.begin - origin_;
  for (std::uint32_t steps = 0; steps < job.steps; ++steps) {
    end += settings_.one_draw ? time_of_all : law_->draw(job.client, stream);
    if (end > now_) return steps;
  }
  return job.steps;
}

// Draws the number of steps as in the wording of [FAV] section 5: geometric with the law's
// probability, whatever the time.
std::uint32_t SimulatedClock::drawn_steps(const LocalJob& job, Stream& stream) const {
  std::uint32_t steps = 1;
  while (steps < job.steps && stream.uniform() >= law_->chance(job.client)) ++steps;
  return steps;
}

std::unique_ptr<StepSequence> simulated(const Asynchrony& asynchrony, const PolicySetup& setup) {
  return std::make_unique<SimulatedClock>(*asynchrony.clock, asynchrony.policy(setup), setup);
}

}  // namespace trilemma
