// Every policy decides the same on both event sources (design: one policy a file, a simulated clock
// and real time).

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>

#include "schedule/simulated_clock.hpp"

namespace trilemma::event_sources_test {
namespace {

// The second event source, with drawn times: like rank 0 in real time it receives an update when it
// has asked for it, and a client begins its next job after that.
class DrawnRealTime {
 public:
  DrawnRealTime(const Asynchrony& simulated, const PolicySetup& setup)
      : clock_(*simulated.clock),
        law_(clock_.make_law(setup)),
        policy_(simulated.policy(setup)),
        seed_(setup.seed),
        free_at_(setup.clients, 0) {
    policy_->start(0, actions_);
    obey();
  }

  TimedStep next() {
    server_step_ = {};
    policy_->open(now_, actions_);
    obey();
    while (!policy_->is_complete()) step();
    server_step_.time = now_;
    policy_->close(now_, actions_);
    obey();
    std::ranges::sort(server_step_.contacts, {}, &Contact::client);
    return server_step_;
  }

 private:
  using End = std::pair<double, std::uint32_t>;

  void step() {
    if (!ends_.empty() && ends_.top().first <= now_) {
      const std::uint32_t client = ends_.top().second;
      ends_.pop();
      policy_->ready(client, now_, actions_);
    } else {
      policy_->pass(now_, actions_);
      const double next = ends_.empty() ? policy_->deadline() : ends_.top().first;
      if (actions_.empty()) now_ = std::max(now_, std::min(next, policy_->deadline()));
    }
    obey();
  }
  void obey() {
    for (const LocalJob& job : actions_.begin) {
      double& free_at = free_at_[job.client];
      free_at = clock_.end_of_job(*law_, {seed_, job.client, job.number}, job.steps,
                                  std::max(now_, free_at));
      ends_.emplace(free_at, job.client);
    }
    const std::vector<Request> asked = actions_.ask;
    actions_.clear();
    for (const Request& request : asked) {
      const LocalJob job = policy_->jobs()[request.client].front();
      server_step_.contacts.push_back({request.client, job.base, job.steps,
                                       request.alpha.factor(job.steps), request.weight,
                                       job.number});
      policy_->report(request.client, job.steps, actions_);
      policy_->sent(request.client, now_, actions_);
      obey();
    }
  }

  ClockSettings clock_;
  std::unique_ptr<StepTime> law_;
  std::unique_ptr<AsyncPolicy> policy_;
  std::uint64_t seed_;
  double now_ = 0;
  Actions actions_;
  TimedStep server_step_;
  std::vector<double> free_at_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// With a server that takes no time; where clients continue at once, they do so at another moment in
// real time.
TEST(EventSources, DoTheSameOnBothEventSources) {
  using Restart = BufferedOptions::Restart;
  const Settings clock =
      Settings::from_text("[clock]\nlaw = \"exponential\"\ninteraction = 0", "clock.toml");
  const Choice<Schedule> some([] {
    Settings s = Settings::from_text("size = 4", "participation.toml");
    return row(schedules(), "fixed-size").make(s, 1, 15);
  });
  const PolicySetup setup{3, 15, some};
  for (const Asynchrony& asynchrony :
       {semi_synchronous(clock, 5), buffered(clock, {.wanted = 4, .restart = Restart::consumed}),
        buffered(clock, {.wanted = 3, .staleness_power = 1, .restart = Restart::renewed}),
        buffered(clock, {.steps = 1, .in_flight = 6}), compass(clock, {}),
        compass(clock, {.least_steps = 1, .most_steps = 9, .patience = 2})}) {
    const auto sequence = simulated(asynchrony, setup);
    DrawnRealTime real(asynchrony, setup);
    TimedStep expected;
    for (std::uint32_t step = 0; step < 300; ++step) {
      sequence->next(expected);
      const TimedStep found = real.next();
      ASSERT_NEAR(found.time, expected.time, 1e-9 * expected.time) << step;
      ASSERT_EQ(found.contacts.size(), expected.contacts.size()) << step;
      for (std::size_t i = 0; i < found.contacts.size(); ++i) {
        const Contact& a = found.contacts[i];
        const Contact& b = expected.contacts[i];
        ASSERT_EQ(a.client, b.client) << step;
        ASSERT_EQ(a.base, b.base) << step;
        ASSERT_EQ(a.steps, b.steps) << step;
        ASSERT_EQ(a.number, b.number) << step;
        ASSERT_EQ(a.weight, b.weight) << step;
      }
    }
  }
}

}  // namespace
}  // namespace trilemma::event_sources_test
