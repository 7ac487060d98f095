#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

// As on the simulated clock, but that alpha is what the client's contacts so far have shown: the
// mean of E ^ K, or the share of contacts with a step. At its first contact that is what it does
// there.
class LiveInterrupts final : public Dispatcher {
 public:
  LiveInterrupts(const InterruptOptions& options, double waiting, const TimelineSetup& setup)
      : Dispatcher(setup.clients),
        options_(options),
        waiting_(waiting),
        schedule_(setup.schedule.make()),
        seen_(setup.clients) {
    Dispatch unused;
    for (std::uint32_t client = 0; client < setup.clients; ++client) begin(client, 0, unused);
  }

  double expected() const override { return schedule_->expected(); }

  void look(double now, Dispatch& orders) override {
    if (asked() > 0 || now < due_) return;
    for (const std::uint32_t client : participants_) ask(request(client), orders);
  }

 private:
  struct Seen {
    std::uint32_t contacts = 0;
    std::uint32_t some = 0;  ///< with a step at least
    double steps = 0;
  };

  void on_open(double now, Dispatch& orders) override {
    due_ = now + waiting_;
    schedule_->participants(step(), participants_);
    expect(static_cast<std::uint32_t>(participants_.size()));
    look(now, orders);
  }
  void on_report(std::uint32_t client, std::uint32_t steps, Dispatch&) override {
    Seen& seen = seen_[client];
    ++seen.contacts;
    seen.steps += steps;
    if (steps > 0) ++seen.some;
  }
  void on_close(Dispatch& orders) override {
    for (const std::uint32_t client : participants_)
      begin(client, options_.gives_new ? step() + 1 : step(), orders);
  }
  void persist_more(State& state) override { state.values(seen_); }

  Request request(std::uint32_t client) const {
    using Factor = InterruptOptions::Factor;
    const Seen& seen = seen_[client];
    Request out{.client = client};
    if (options_.factor == Factor::none) return out;
    const double contacts = seen.contacts;
    if (seen.some == 0)
      out.alpha_per_step = 1;
    else if (options_.factor == Factor::deterministic)
      out.alpha = seen.steps / contacts;
    else
      out.alpha_per_step = seen.some / contacts;
    return out;
  }

  InterruptOptions options_;
  double waiting_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<Seen> seen_;  ///< by client
  std::vector<std::uint32_t> participants_;
  double due_ = 0;
};

}  // namespace

std::unique_ptr<Dispatcher> live_interrupts(const InterruptOptions& options, double waiting,
                                            const TimelineSetup& setup) {
  return std::make_unique<LiveInterrupts>(options, waiting, setup);
}

}  // namespace trilemma
