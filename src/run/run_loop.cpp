#include "run/round_loop.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {

RoundLoop::RoundLoop(const Plan& plan, Assembly& parts, Exchange& exchange,
                     const Placement& placement, Heartbeat* heart)
    : plan_(plan),
      parts_(parts),
      exchange_(exchange),
      place_(placement),
      rounds_(static_cast<std::uint32_t>(plan.rounds)),
      round_(plan, parts, exchange),
      spent_(parts.journal->declare({"epsilon", "1",
                                     "upper bound on the epsilon spent so far, within 1 % of the "
                                     "tight one; NaN = not accounted",
                                     Made::released})),
      traffic_(*parts.journal),
      timer_(plan.timing, heart) {}

void RoundLoop::record(RunFile* file, bool quiet) {
  file_ = file;
  progress_.emplace(quiet || file == nullptr, plan_.rounds, *parts_.journal);
  delivery_.emplace(*parts_.journal, timer_, exchange_, place_, file, *progress_);
  checkpointer_.emplace(plan_.checkpoint, parts_, exchange_, file, done_);
}

Outcome RoundLoop::run() {
  delivery_->start();
  progress_->start_at(done_);
  timer_.start();
  bool good = is_restored_ || start();
  while (done_ < rounds_ && good && order_ != Order::stop) {
    round_.run(done_, timer_);
    ++done_;
    check_expected();
    const bool look = done_ == rounds_ || plan_.evaluation.is_due(done_);
    if (look) good = evaluate();
    end_row();
    if (look || checkpointer_->due_by_rounds() || delivery_->is_due()) deliver();
    if (good && (done_ < rounds_ || plan_.checkpoint.at_end)) save_if_due();
  }
  return end(good);
}

// The row of the start.
bool RoundLoop::start() {
  const bool good = evaluate();
  end_row();
  deliver();
  // Who starts such a run again must draw the same noise, or its rounds would be released twice.
  if (good && plan_.privacy.secret) order_ = std::max(order_, Order::save);
  if (good) save_if_due();
  return good;
}

void RoundLoop::check_expected() const {
  // Bits, for a coordinate that is NaN differs from itself.
  require(expected_.empty() || done_ != expected_at_ ||
              std::ranges::equal(std::as_bytes(std::span(parts_.x)),
                                 std::as_bytes(std::span(expected_))),
          "the first {} rounds, made again, do not lead to the model of the run that is prolonged: "
          "its data, the program or the processor were others",
          done_);
}

bool RoundLoop::evaluate() {
  // After the last step rank 0 alone has the new model.
  exchange_.broadcast_for_evaluation(parts_.x);
  const Metrics metrics =
      parts_.evaluator->evaluate(parts_.x, exchange_, plan_.evaluation.objective);
  int good = 1;
  if (place_.rank == 0 && plan_.evaluation.objective &&
      !(std::isfinite(metrics.objective) && std::isfinite(metrics.gradient_norm_squared))) {
    good = 0;
    failure_ =
        fmt::format("round {}: the objective is {} and the squared gradient norm {}; {}", done_,
                    std::abs(metrics.objective), std::abs(metrics.gradient_norm_squared),
                    done_ == 0 ? "look at the data and the start"
                               : "lower server.rate, or local.rate where clients take local steps");
  }
  good = exchange_.broadcast_number(good, Use::evaluation);
  timer_.lap(Phase::evaluate);
  return good == 1;
}

void RoundLoop::end_row() {
  if (epsilon_ != nullptr) parts_.journal->set(spent_, epsilon_->at(done_));
  traffic_.note(exchange_.traffic());
  delivery_->end_row(done_);
}

void RoundLoop::deliver() { order_ = delivery_->run(checkpointer_->due_by_time()); }

void RoundLoop::save_if_due() {
  if (order_ == Order::go_on && !checkpointer_->due_by_rounds() && done_ != rounds_) return;
  timer_.start();
  checkpointer_->save();
  if (order_ == Order::save) order_ = Order::go_on;
  timer_.lap(Phase::checkpoint);
}

Outcome RoundLoop::end(bool good) {
  progress_->clear();
  checkpointer_->gather_largest_norm();
  const bool is_stopped = good && done_ < rounds_;
  if (file_ != nullptr) {
    file_->set_bound_observed(*parts_.largest_norm);
    if (is_stopped)
      file_->suspend();
    else
      good ? file_->finish(parts_.x) : file_->fail(failure_, parts_.x);
  }
  if (is_stopped) return Outcome::stopped;
  return good ? Outcome::finished : Outcome::failed;
}

}  // namespace trilemma
