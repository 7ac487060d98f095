#include "run/run_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.hpp"
#include "base/region.hpp"
#include "machine/limits.hpp"
#include "run/contacts.hpp"

namespace trilemma {

RunLoop::RunLoop(const Plan& plan, Assembly& parts, Ranks& ranks, const Placement& placement,
                 Heartbeat* heart)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      place_(placement),
      rounds_(static_cast<std::uint32_t>(plan.rounds)),
      driver_(make_driver({plan, parts, ranks, place_})),
      spent_(parts.metric_log->declare(epsilon_spent)),
      traffic_(*parts.metric_log),
      timer_(plan.timing, heart) {
  driver_->on_row_end([this] { end_row(); });
}

void RunLoop::record(RunFile* file, bool quiet, std::vector<std::int64_t> node) {
  file_ = file;
  node_ = std::move(node);
  node_.resize(static_cast<std::size_t>(place_.size));
  progress_.emplace(quiet || file == nullptr, plan_.rounds, *parts_.metric_log,
                    file == nullptr ? nullptr : tell_);
  collector_.emplace(*parts_.metric_log, timer_, ranks_, place_, file, *progress_, node_,
                     is_simulated() || !plan_.timing ? EnergyCounters() : energy_counters());
  checkpointer_.emplace(plan_.checkpoint, parts_, ranks_, file, *driver_);
}

Outcome RunLoop::run() {
  collector_->start();
  progress_->start_at(began_at_ = rounds_done());
  if (!is_simulated()) load_.start();
  timer_.start();
  bool good = is_restored_ || start();
  while (rounds_done() < rounds_ && good && order_ != Order::stop) {
    {
      const Region region("rounds");
      driver_->run_until(next_stop(), timer_);
    }
    check_expected();
    const bool look = rounds_done() == rounds_ || plan_.evaluation.is_due(rounds_done());
    if (look) good = evaluate();
    end_row();
    if (look || checkpointer_->due_by_rounds() || collector_->is_due()) {
      good = good && (look || !has_failed());
      deliver();
    }
    if (good && (rounds_done() < rounds_ || plan_.checkpoint.at_end)) save_if_due();
  }
  return end(good);
}

// Returns the next step at which all ranks must synchronise.
std::uint32_t RunLoop::next_stop() const {
  std::uint32_t step = rounds_done() + 1;
  while (driver_->runs_free() && step < rounds_ && !plan_.evaluation.is_due(step) &&
         !checkpointer_->is_due_at(step))
    ++step;
  return step;
}

// Records the row of the start.
bool RunLoop::start() {
  const bool good = evaluate();
  end_row();
  deliver();
  // If the start were repeated with other noise, its rounds would be released twice: saves the
  // secret in a checkpoint.
  if (good && plan_.privacy.secret) order_ = std::max(order_, Order::save);
  if (good) save_if_due();
  return good;
}

void RunLoop::check_expected() {
  if (rounds_done() != expected_at_) return;
  driver_->gather_model();
  // Compares bytes, since a coordinate that is NaN differs from itself.
  require(
      expected_.empty() || std::ranges::equal(std::as_bytes(std::span(driver_->model())),
                                              std::as_bytes(std::span(expected_))),
      "the first {} rounds, repeated, do not lead to the model of the run that is {}: its data, the program or the processor differ",
      rounds_done(), expected_by_);
}

// The rows of a failed round and of later ones are not recorded, so that the file does not depend
// on the moment at which the ranks agree.
bool RunLoop::has_failed() {
  const auto failure = driver_->failure();
  if (!failure) return false;
  failed_after_ = failure->round;
  failure_ = failure->reason;
  return true;
}

bool RunLoop::evaluate() {
  const Region region("evaluate");
  if (has_failed()) return false;
  driver_->gather_model();
  // After the last step only rank 0 has the new model.
  ranks_.broadcast(driver_->model(), Use::evaluation);
  driver_->observe_state();
  const Metrics metrics =
      parts_.evaluator->evaluate(driver_->model(), ranks_, plan_.evaluation.objective);
  int good = 1;
  if (file_ != nullptr) file_->add_class_accuracy(rounds_done(), metrics.class_accuracy);
  if (place_.rank == 0 && plan_.evaluation.objective &&
      !(std::isfinite(metrics.objective) && std::isfinite(metrics.gradient_norm_squared))) {
    good = 0;
    failure_ = fmt::format(
        "round {}: the objective is {} and the squared gradient norm {}; {}", rounds_done(),
        std::abs(metrics.objective), std::abs(metrics.gradient_norm_squared),
        rounds_done() == 0         ? "look at the data and the start"
        : plan_.is_decentralised() ? "lower gossip.rate"
                                   : "lower server.rate, or local.rate where clients take local "
                                     "steps");
  }
  good = ranks_.broadcast_number(good, Use::evaluation);
  timer_.lap(Phase::evaluate);
  return good == 1;
}

void RunLoop::end_row() {
  if (epsilon_) parts_.metric_log->set(spent_, epsilon_(rounds_done()));
  traffic_.observe(ranks_.ledger());
  collector_->end_row(rounds_done());
}

void RunLoop::deliver() {
  const Region region("record");
  if (failed_after_) collector_->keep_until(*failed_after_);
  order_ = collector_->run(checkpointer_->due_by_time());
}

void RunLoop::save_if_due() {
  if (order_ == Order::go_on && !checkpointer_->due_by_rounds() && rounds_done() != rounds_) return;
  const Region region("checkpoint");
  timer_.start();
  record_times();
  checkpointer_->save();
  if (order_ == Order::save) order_ = Order::go_on;
  timer_.lap(Phase::checkpoint);
}

// Gathers the loads of the ranks. They are in every checkpoint, since a run may be resumed from it.
void RunLoop::record_times() {
  TimeRecord record{.status = TimeEvidence::simulated};
  if (!is_simulated()) {
    const auto all = ranks_.gather_by_rank(load_.load().packed(), Use::control);
    if (file_ == nullptr) return;
    std::vector<RankLoad> loads;
    const std::size_t size = RankLoad::packed_size();
    for (std::size_t at = 0; at < all.size(); at += size)
      loads.push_back(RankLoad::unpacked(std::span(all).subspan(at, size)));
    record = time_record(loads, node_, rounds_done() - began_at_);
    if (!plan_.timing) record.status = TimeEvidence::no_times;
  }
  if (file_ != nullptr) file_->set_times(record);
}

Outcome RunLoop::end(bool good) {
  progress_->clear();
  record_times();
  const bool is_stopped = good && rounds_done() < rounds_;
  std::vector<double> memory;
  if (good && !is_stopped) memory = ranks_.gather_by_rank(std::array{peak_memory()}, Use::control);
  if (file_ != nullptr) {
    if (!driver_->server_steps().empty()) file_->add_contacts(contacts_of(driver_->server_steps()));
    if (is_stopped)
      file_->suspend();
    else
      good ? file_->finish(driver_->model(), memory) : file_->fail(failure_, driver_->model());
  }
  if (is_stopped) return Outcome::stopped;
  return good ? Outcome::finished : Outcome::failed;
}

}  // namespace trilemma
