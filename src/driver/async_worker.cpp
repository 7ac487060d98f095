#include "driver/async_worker.hpp"

#include <algorithm>

namespace trilemma {

AsyncWorker::AsyncWorker(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round,
                         double slowdown)
    : plan_(plan), parts_(parts), ranks_(ranks), round_(round), slowdown_(slowdown) {}

std::uint32_t AsyncWorker::run(PhaseTimer& timer) {
  timer.start();
  for (;;) {
    while (ranks_.next_letter(letter_) >= 0) {
      // This rank's own steps go on without rank 0; only a letter proves that rank 0 is alive.
      timer.beat("a letter from rank 0");
      if (obey(letter_, timer)) continue;
      send({.kind = Event::Kind::met});
      ranks_.finish_letters();
      return step_;
    }
    const bool has_worked = work();
    if (!has_worked) back_off();
    // The pauses of a rank that is slowed down count as its local work.
    timer.book(has_worked || now_seconds() < not_before_ ? Phase::local : Phase::wait);
  }
}

// Carries out a letter of rank 0. Returns false if it calls to a meeting.
bool AsyncWorker::obey(std::span<const std::byte> letter, PhaseTimer& timer) {
  const auto command = letter_in<Instruction>(letter);
  step_ = command.step;
  const auto model = letter.subspan(sizeof(Instruction));
  switch (command.kind) {
    case Instruction::Kind::begin:
      keep_model(command.job.base, model);
      work_[command.job.client].push_back({command.job});
      return true;
    case Instruction::Kind::ask:
      keep_model(command.step, model);
      answer(command, timer);
      return true;
    case Instruction::Kind::alive:
      return true;
    case Instruction::Kind::meet:
      break;
  }
  return false;
}

// Keeps the model that came with a letter; an empty one means that this rank has it already. Drops
// models that no job here needs.
void AsyncWorker::keep_model(std::uint32_t step, std::span<const std::byte> model) {
  if (model.empty()) return;
  Vector values(model.size() / sizeof(real));
  std::memcpy(values.data(), model.data(), model.size());
  models_.keep(step, values);
  newest_ = step;
  models_.retain([this](std::uint32_t held) {
    return held == newest_ || std::ranges::any_of(work_, [held](const auto& of_client) {
             return std::ranges::any_of(of_client.second,
                                        [held](const Work& w) { return w.job.base == held; });
           });
  });
}

Task AsyncWorker::task_of(const Work& work) const {
  return {.model = models_.at(work.job.base),
          .steps = work.job.steps,
          .number = work.job.number,
          .age = work.job.base};
}

// Takes one local step for the next client with an unfinished job, in turn. Returns false if there
// is none, or if the pause of a rank that is slowed down is not over.
bool AsyncWorker::work() {
  if (slowdown_ > 1 && now_seconds() < not_before_) return false;
  auto next = work_.upper_bound(last_);
  for (std::size_t looked = 0; looked < work_.size(); ++looked, ++next) {
    if (next == work_.end()) next = work_.begin();
    if (next->second.empty() || next->second.front().steps == next->second.front().job.steps)
      continue;
    Work& work = next->second.front();
    const double begin = now_seconds();
    parts_.clients->advance(next->first, task_of(work));
    last_ = next->first;
    if (++work.steps == work.job.steps) send({Event::Kind::done, next->first});
    if (slowdown_ > 1) not_before_ = now_seconds() + (slowdown_ - 1) * (now_seconds() - begin);
    return true;
  }
  return false;
}

// Sends the client's update after the steps taken so far, as a message of the open server step.
void AsyncWorker::answer(const Instruction& command, PhaseTimer& timer) {
  const std::uint32_t client = command.request.client;
  auto& of_client = work_.at(client);
  const Work work = of_client.front();
  ClientInputs inputs{.client = client, .task = task_of(work)};
  inputs.task.steps = work.steps;
  inputs.task.scale = command.request.alpha.factor(work.steps) * command.request.weight;
  if (plan_.method.steps.family == SolverFamily::averaged)
    inputs.task.now = models_.at(command.step);
  timer.lap(Phase::local);
  round_.work(command.step, {&client, 1}, inputs.task.model, {&inputs, 1}, timer);
  round_.finish();
  of_client.pop_front();
  send({Event::Kind::report, client, work.steps});
}

void AsyncWorker::send(const Event& event) { ranks_.send_letter(0, bytes_of(event), {}); }

}  // namespace trilemma
