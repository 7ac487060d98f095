#include "schedule/async_policy.hpp"

#include <cmath>

namespace trilemma {

double AsyncPolicy::deadline() const {
  return pause() ? opened_ + *pause() : std::numeric_limits<double>::infinity();
}

std::map<std::uint32_t, std::uint32_t> AsyncPolicy::at_work() const {
  std::map<std::uint32_t, std::uint32_t> models;
  for (const auto& of_client : jobs_)
    for (const LocalJob& job : of_client) ++models[job.base];
  return models;
}

std::uint64_t AsyncPolicy::handed_out() const {
  std::uint64_t models = 0;
  for (const auto& of_client : jobs_) models += of_client.size();
  return models;
}

void AsyncPolicy::start(double now, Actions& actions) {
  now_ = now;
  actions_ = &actions;
  for (const auto& of_client : jobs_)
    actions.begin.insert(actions.begin.end(), of_client.begin(), of_client.end());
  on_start();
}

void AsyncPolicy::open(double now, Actions& actions) {
  now_ = opened_ = now;
  actions_ = &actions;
  missing_.reset();
  received_ = asked_ = 0;
  on_open();
}

void AsyncPolicy::ready(std::uint32_t client, double now, Actions& actions) {
  now_ = now;
  actions_ = &actions;
  on_ready(client);
}

void AsyncPolicy::pass(double now, Actions& actions) {
  now_ = now;
  actions_ = &actions;
  on_time();
}

void AsyncPolicy::report(std::uint32_t client, std::uint32_t steps, Actions& actions) {
  actions_ = &actions;
  jobs_[client].pop_front();
  ++received_;
  if (missing_) --*missing_;
  on_report(client, steps);
}

void AsyncPolicy::sent(std::uint32_t client, double now, Actions& actions) {
  now_ = now;
  actions_ = &actions;
  on_sent(client);
}

void AsyncPolicy::close(double now, Actions& actions) {
  now_ = now;
  actions_ = &actions;
  on_close();
  ++step_;
}

void AsyncPolicy::begin(std::uint32_t client, std::uint32_t version, long steps) {
  begin({client, numbers_[client]++, version, static_cast<std::uint32_t>(steps)});
}

void AsyncPolicy::begin(const LocalJob& job) {
  jobs_[job.client].push_back(job);
  if (actions_ != nullptr) actions_->begin.push_back(job);
}

void AsyncPolicy::ask(const Request& request) {
  ++asked_;
  actions_->ask.push_back(request);
}

void AsyncPolicy::persist(State& state) {
  state.value(step_);
  state.values(numbers_);
  std::vector<LocalJob> all;
  for (const auto& of_client : jobs_) all.insert(all.end(), of_client.begin(), of_client.end());
  std::uint64_t count = all.size();
  state.value(count);
  all.resize(static_cast<std::size_t>(count));
  for (auto& of_client : jobs_) of_client.clear();
  for (LocalJob& job : all) {
    state.value(job);
    jobs_[job.client].push_back(job);
  }
  persist_more(state);
}

double staleness_weight(double power, std::uint32_t staleness) {
  return power == 0 ? 1 : std::pow(1.0 + staleness, -power);
}

}  // namespace trilemma
