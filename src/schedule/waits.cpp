#include <algorithm>

#include "schedule/clock_settings.hpp"
#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

class Waits final : public Timeline {
 public:
  Waits(ClockSettings clock, long steps, const TimelineSetup& setup)
      : clock_(std::move(clock)),
        steps_(static_cast<std::uint32_t>(steps)),
        seed_(setup.seed),
        law_(clock_.make_law(setup)),
        schedule_(setup.schedule.make()) {}

  double expected() const override { return schedule_->expected(); }

 private:
  void fill(Meeting& meeting) override {
    double slowest = 0;
    schedule_->participants(step(), participants_);
    for (const std::uint32_t client : participants_) {
      begins(step());
      slowest = std::max(slowest, clock_.end_of_job(*law_, {seed_, client, step()}, steps_, 0));
      report(meeting, {.client = client, .start = step(), .steps = steps_, .number = step()}, now_);
    }
    meeting.time = now_ += clock_.interaction + slowest;
  }

  ClockSettings clock_;
  std::uint32_t steps_;
  std::uint64_t seed_;
  double now_ = 0;
  std::unique_ptr<StepTime> law_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::uint32_t> participants_;
};

}  // namespace

Pace waits(const Settings& experiment, long steps) {
  if (is_real(experiment)) return {nullptr, live_waits};
  return {[clock = read_clock(experiment, steps), steps](const TimelineSetup& setup)
              -> std::unique_ptr<Timeline> { return std::make_unique<Waits>(clock, steps, setup); },
          nullptr};
}

}  // namespace trilemma
