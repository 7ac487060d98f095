#include <algorithm>
#include <queue>

#include "schedule/arrival_draws.hpp"
#include "schedule/clock_settings.hpp"
#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

constexpr long usual_buffer = 10;

// Work of a client from a model on. Of two that end at one time the client with the smaller number
// comes first.
struct Errand {
  double end;
  std::uint32_t client, start, number;
  bool operator>(const Errand& other) const {
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
    for (const std::uint32_t client : first_clients(options_, setup)) begin(client, 0, 0);
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
    for (const Errand& job : came_) {
      meeting.contacts.push_back({.client = job.client,
                                  .start = job.start,
                                  .steps = static_cast<std::uint32_t>(options_.steps),
                                  .weight = staleness_weight(options_, step() - job.start),
                                  .number = job.number});
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
  void hand_out() { begin(next_client(seed_, step() + 1, clients_), now_, step() + 1); }

  // A client that is done before `not_before` waits: it has part in the server step until then.
  void begin(std::uint32_t client, double time, std::uint32_t model, double not_before = 0) {
    if (!busy_until_.empty()) time = std::max(time, busy_until_[client]);
    const std::uint32_t own = jobs_[client]++;
    Stream stream(step_times_of(seed_, client, own));
    for (long number = 0; number < options_.steps; ++number) time += law_->draw(client, stream);
    if (!busy_until_.empty()) busy_until_[client] = time;
    queue_.push({std::max(time, not_before), client, model, own});
    begins(model);
  }

  ClockSettings clock_;
  ArrivalOptions options_;
  bool waits_for_step_;
  std::uint64_t seed_;
  std::uint32_t clients_;
  double now_ = 0;  ///< when the last server step has ended
  std::unique_ptr<StepTime> law_;
  std::priority_queue<Errand, std::vector<Errand>, std::greater<>> queue_;
  std::vector<std::uint32_t> jobs_;  ///< by client, so far
  std::vector<double> busy_until_;   ///< by client, where it may get several models
  std::vector<Errand> came_;         ///< in this server step
};

}  // namespace

Pace arrivals(const Settings& experiment, const ArrivalOptions& options) {
  bool waits_for_step = false;
  if (options.in_flight == 0)
    waits_for_step = experiment.section("clock").choice(
                         "restart", options.waits ? "consumed" : "at-once", {"at-once", "consumed"},
                         "when a client that has come goes on: at once, from the newest model, "
                         "or, as in a published simulator, once the server has used what it "
                         "brought, from the model before that") == "consumed";
  const auto resolved = [=](const TimelineSetup& setup) {
    const auto clients = static_cast<long>(setup.clients);
    if (options.wanted > clients)
      experiment.section("server").refuse(
          "buffer", fmt::format("more than the {} clients; lower server.buffer", setup.clients));
    ArrivalOptions all = options;
    if (all.wanted == 0) all.wanted = std::min(usual_buffer, clients);
    return all;
  };
  if (is_real(experiment))
    return {nullptr, [=](const TimelineSetup& setup) {
              return live_arrivals(resolved(setup), waits_for_step, setup);
            }};
  return {
      [=, clock = read_clock(experiment)](const TimelineSetup& setup) -> std::unique_ptr<Timeline> {
        return std::make_unique<Arrivals>(clock, resolved(setup), waits_for_step, setup);
      },
      nullptr};
}

}  // namespace trilemma
