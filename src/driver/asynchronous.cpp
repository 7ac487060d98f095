// Real time: every rank but rank 0 works for its clients at its own speed, and rank 0 takes server
// steps from the updates as they arrive. Such a run is not reproducible, but its run file records
// all contacts, and driver/timed.cpp repeats it from these.
//
// An update goes through these stations:
//   1. rank 0: the policy begins a job, and AsyncServer sends the letter `begin` with the model.
//   2. the client's rank: AsyncWorker takes the local steps one at a time, between which it reads
//      letters; after the last one it sends `done`.
//   3. rank 0: the policy hears that the client is ready and asks for its update, now or later.
//   4. the client's rank: Round::work bounds, perturbs, compresses and encodes the update and hands
//      it to the uplink, which carries all updates; letters carry control only. `report` follows.
//   5. rank 0: once all updates of a server step are reported, Round::step receives and sums them
//      and takes the step. The policy then begins the next jobs.

#include <optional>

#include "driver/async_server.hpp"
#include "driver/async_worker.hpp"
#include "driver/driver.hpp"

namespace trilemma {
namespace {

// Time between two meetings of all ranks. Stop requests and checkpoints take effect at a meeting.
constexpr double seconds_between_meetings = 2;

class Asynchronous final : public Driver {
 public:
  explicit Asynchronous(const DriverSetup& setup)
      : plan_(setup.plan),
        parts_(setup.parts),
        round_(setup.plan, setup.parts, setup.ranks, setup.tap),
        notes_(*setup.parts.metric_log, metric_of_real_time,
               static_cast<std::uint32_t>(setup.plan.clients)) {
    if (parts_.server != nullptr)
      server_.emplace(plan_, parts_, setup.ranks, round_, notes_);
    else
      worker_.emplace(plan_, parts_, setup.ranks, round_,
                      plan_.slowdown_of(setup.placement.rank - setup.placement.first_host()));
  }

  std::uint32_t step() const override { return step_; }
  View model() override { return parts_.x; }
  bool runs_free() const override { return true; }
  void on_row_end(std::function<void()> end_row) override { end_row_ = std::move(end_row); }

  void run_until(std::uint32_t step, PhaseTimer& timer) override {
    if (server_) return lead(step, timer);
    const std::uint32_t done = worker_->run(timer);
    // This rank does not know in which server step it did its work, only that the last one includes
    // it: all counts go to the last row.
    auto filled = parts_.metric_log->set_aside();
    while (++step_ < done) end_row_();
    parts_.metric_log->put_back(std::move(filled));
  }

  void observe_state() override {
    if (server_) server_->observe_state();
    if (plan_.method.steps.family != SolverFamily::averaged) return;
    Vector room;
    for (std::size_t slot = 0; slot < parts_.shards.size(); ++slot)
      notes_.observe_distance(
          distance_squared(parts_.work->personal_model(slot, parts_.x, room), parts_.x));
  }
  std::span<const TimedStep> server_steps() const override {
    return server_ ? server_->server_steps() : std::span<const TimedStep>();
  }

  void persist(State& common) override {
    common.value(step_);
    common.values(parts_.x);
    parts_.clients->persist_common(common);
    round_.persist(common);
  }
  void persist_server(State& server) override { server_->persist(server); }
  void persist(std::size_t slot, State& client) override { parts_.clients->persist(slot, client); }

 private:
  void lead(std::uint32_t step, PhaseTimer& timer) {
    timer.start();
    const double end = now_seconds() + seconds_between_meetings;
    for (;;) {
      server_->step(timer);
      if (++step_ == step || now_seconds() >= end) break;
      end_row_();
    }
    server_->meet();
    timer.lap(Phase::wait);
  }

  const Plan& plan_;
  Assembly& parts_;
  Round round_;
  ContactMetrics notes_;
  std::optional<AsyncServer> server_;  ///< on rank 0
  std::optional<AsyncWorker> worker_;  ///< on all other ranks
  std::function<void()> end_row_;
  std::uint32_t step_ = 0;
};

}  // namespace

Row<DriverMaker> asynchronous_driver() {
  return {"asynchronous", "real time: ranks work at their own speed, and none waits for a slow one",
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Asynchronous>(setup);
          }};
}

}  // namespace trilemma
