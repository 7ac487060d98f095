#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

class LiveWaits final : public Dispatcher {
 public:
  explicit LiveWaits(const TimelineSetup& setup)
      : Dispatcher(setup.clients), schedule_(setup.schedule.make()) {}

  double expected() const override { return schedule_->expected(); }
  void done(std::uint32_t client, Dispatch& orders) override { ask({.client = client}, orders); }

 private:
  void on_open(double, Dispatch& orders) override {
    schedule_->participants(step(), participants_);
    expect(static_cast<std::uint32_t>(participants_.size()));
    for (const std::uint32_t client : participants_) begin(client, step(), orders);
  }

  std::unique_ptr<Schedule> schedule_;
  std::vector<std::uint32_t> participants_;
};

}  // namespace

std::unique_ptr<Dispatcher> live_waits(const TimelineSetup& setup) {
  return std::make_unique<LiveWaits>(setup);
}

}  // namespace trilemma
