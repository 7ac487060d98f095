#include "schedule/policies.hpp"

namespace trilemma {
namespace {

// Every server step begins with jobs for the drawn clients and ends with the slowest of them. The
// number of a job is that of its server step, so that minibatches are those of FedAvg with rounds.
class SemiSynchronous final : public AsyncPolicy {
 public:
  SemiSynchronous(long steps, const PolicySetup& setup)
      : AsyncPolicy(setup.clients),
        steps_(static_cast<std::uint32_t>(steps)),
        schedule_(setup.schedule.make()) {}

  double expected() const override { return schedule_->expected(); }
  bool numbers_by_step() const override { return true; }

 private:
  void on_open() override {
    schedule_->participants(step(), participants_);
    expect(participants_.size());
    for (const std::uint32_t client : participants_)
      begin({.client = client, .number = step(), .base = step(), .steps = steps_});
  }
  void on_ready(std::uint32_t client) override { ask({.client = client}); }

  std::uint32_t steps_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::uint32_t> participants_;
};

}  // namespace

Asynchrony semi_synchronous(const Settings& experiment, long steps) {
  return on_clock(experiment, steps, [steps](const PolicySetup& setup) {
    return std::make_unique<SemiSynchronous>(steps, setup);
  });
}

}  // namespace trilemma
