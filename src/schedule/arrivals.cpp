#include <algorithm>
#include <cmath>
#include <queue>

#include "numeric/draws.hpp"
#include "schedule/clock_settings.hpp"

namespace trilemma {
namespace {

constexpr long usual_buffer = 10;

// Work of a client from a model on. Of two that end at one time the client with the smaller number
// comes first.
struct Job {
  double end;
  std::uint32_t client, start;
  bool operator>(const Job& other) const {
    return end != other.end ? end > other.end : client > other.client;
  }
};

class Arrivals final : public Timeline {
 public:
  Arrivals(ClockSettings clock, const ArrivalOptions& options, bool waits_for_step,
           const TimelineSetup& setup)
      : clock_(std::move(clock)),
        options_(options),
        waits_for_step_(waits_for_step),
        seed_(setup.seed),
        clients_(setup.clients),
        law_(clock_.make_law(setup)),
        jobs_(setup.clients, 0),
        busy_until_(options.in_flight > 0 ? setup.clients : 0, 0.0) {
    std::vector<std::uint32_t> first(clients_);
    if (options_.in_flight > 0)
      SubsetDraw{}(pick(0), clients_,
                   static_cast<std::size_t>(std::min<long>(options_.in_flight, clients_)), first);
    else
      for (std::uint32_t client = 0; client < clients_; ++client) first[client] = client;
    for (const std::uint32_t client : first) begin(client, 0, 0);
  }

  double expected() const override { return static_cast<double>(options_.wanted); }

 private:
  void fill(Meeting& meeting) override {
    const double free = now_;
    came_.clear();
    while (came_.size() < static_cast<std::size_t>(options_.wanted)) {
      came_.push_back(queue_.top());
      queue_.pop();
    }
    const double last = std::max(free, came_.back().end);
    meeting.time = now_ = last + clock_.interaction;
    for (const Job& job : came_) {
      meeting.contacts.push_back({.client = job.client,
                                  .start = job.start,
                                  .steps = static_cast<std::uint32_t>(options_.steps),
                                  .weight = weight(step() - job.start)});
      ends(job.start);
      if (options_.in_flight > 0)
        hand_out();
      else if (waits_for_step_)
        begin(job.client, now_, step());
      else
        begin(job.client, job.end, model_at(job.end, free), last);
    }
    std::sort(meeting.contacts.begin(), meeting.contacts.end(),
              [](const Contact& a, const Contact& b) { return a.client < b.client; });
  }

  // The newest model at a time since the server step before the last one.
  std::uint32_t model_at(double time, double free) const {
    if (time >= now_) return step() + 1;
    return time < free ? step() - 1 : step();
  }

  // The model after this server step goes to a random client, which may be at work.
  void hand_out() {
    const std::uint32_t client = Stream(pick(step() + 1)).below(clients_);
    begin(client, now_, step() + 1);
  }

  // A client that is done before `not_before` waits: it has part in the server step until then.
  void begin(std::uint32_t client, double time, std::uint32_t model, double not_before = 0) {
    if (!busy_until_.empty()) time = std::max(time, busy_until_[client]);
    Stream stream(step_times_of(seed_, client, jobs_[client]++));
    for (long number = 0; number < options_.steps; ++number) time += law_->draw(client, stream);
    if (!busy_until_.empty()) busy_until_[client] = time;
    queue_.push({std::max(time, not_before), client, model});
    begins(model);
  }

  double weight(std::uint32_t staleness) const {
    return options_.staleness_power == 0 ? 1 : std::pow(1.0 + staleness, -options_.staleness_power);
  }
  Key pick(std::uint32_t number) const { return {seed_, Purpose::participation, 0, number}; }

  ClockSettings clock_;
  ArrivalOptions options_;
  bool waits_for_step_;
  std::uint64_t seed_;
  std::uint32_t clients_;
  double now_ = 0;  ///< when the last server step has ended
  std::unique_ptr<StepTime> law_;
  std::priority_queue<Job, std::vector<Job>, std::greater<>> queue_;
  std::vector<std::uint32_t> jobs_;  ///< by client, so far
  std::vector<double> busy_until_;   ///< by client, where it may get several models
  std::vector<Job> came_;            ///< in this server step
};

}  // namespace

TimelineMaker arrivals(const Settings& experiment, const ArrivalOptions& options) {
  ClockSettings clock = read_clock(experiment);
  bool waits_for_step = false;
  if (options.in_flight == 0)
    waits_for_step = clock.section.choice(
                         "restart", options.waits ? "consumed" : "at-once", {"at-once", "consumed"},
                         "when a client that has come goes on: at once, from the newest model, "
                         "or, as in a published simulator, once the server has used what it "
                         "brought, from the model before that") == "consumed";
  return [=](const TimelineSetup& setup) -> std::unique_ptr<Timeline> {
    const auto clients = static_cast<long>(setup.clients);
    if (options.wanted > clients)
      experiment.section("server").refuse(
          "buffer", fmt::format("more than the {} clients; lower server.buffer", setup.clients));
    ArrivalOptions all = options;
    if (all.wanted == 0) all.wanted = std::min(usual_buffer, clients);
    return std::make_unique<Arrivals>(clock, all, waits_for_step, setup);
  };
}

}  // namespace trilemma
