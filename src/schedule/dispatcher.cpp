#include "schedule/dispatcher.hpp"

namespace trilemma {

void Dispatcher::open(double now, Dispatch& orders) {
  open_ = asked_ = 0;
  on_open(now, orders);
}

void Dispatcher::report(std::uint32_t client, std::uint32_t steps, Dispatch& orders) {
  const auto model = at_work_.find(jobs_[client].front().start);
  if (--model->second == 0) at_work_.erase(model);
  jobs_[client].pop_front();
  --open_;
  on_report(client, steps, orders);
}

void Dispatcher::close(Dispatch& orders) {
  on_close(orders);
  ++step_;
}

void Dispatcher::begin(std::uint32_t client, std::uint32_t model, Dispatch& orders) {
  const Job job{client, numbers_[client]++, model};
  jobs_[client].push_back(job);
  ++at_work_[model];
  orders.begin.push_back(job);
}

void Dispatcher::ask(const Request& request, Dispatch& orders) {
  ++asked_;
  orders.ask.push_back(request);
}

void Dispatcher::persist(State& state) {
  state.value(step_);
  state.values(numbers_);
  std::vector<Job> all;
  for (const auto& of_client : jobs_) all.insert(all.end(), of_client.begin(), of_client.end());
  std::uint64_t count = all.size();
  state.value(count);
  all.resize(static_cast<std::size_t>(count));
  for (auto& of_client : jobs_) of_client.clear();
  at_work_.clear();
  for (Job& job : all) {
    state.value(job);
    jobs_[job.client].push_back(job);
    ++at_work_[job.start];
  }
  persist_more(state);
}

}  // namespace trilemma
