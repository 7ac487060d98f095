#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <queue>

#include "schedule/arrival_draws.hpp"
#include "schedule/clock_settings.hpp"
#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

constexpr long usual_buffer = 10;

// A local job. Jobs that end at the same time are ordered by the number of their client.
struct LocalJob {
  double begin, end;
  std::uint32_t client, start, number;
  bool operator>(const LocalJob& other) const {
    return end != other.end ? end > other.end : client > other.client;
  }
};

// A client's update at the server, and the model from which the client continues, if it has.
struct Arrival {
  LocalJob job;
  std::optional<std::uint32_t> next = std::nullopt;
};

// Clients report when their jobs are done, and the server takes the first updates up to the number
// it waits for. A client has at most one update at the server: it reports a second one only when
// the first is taken.
class Arrivals final : public Timeline {
 public:
  Arrivals(ClockSettings clock, const ArrivalOptions& options, const TimelineSetup& setup)
      : clock_(std::move(clock)),
        options_(options),
        seed_(setup.seed),
        clients_(setup.clients),
        law_(clock_.make_law(setup)),
        jobs_(setup.clients, 0),
        busy_until_(options.in_flight > 0 ? setup.clients : 0, 0.0) {
    for (const std::uint32_t client : first_clients(options_, setup)) begin(client, 0, 0);
  }

  double expected() const override { return static_cast<double>(options_.wanted); }

 private:
  using Restart = ArrivalOptions::Restart;

  void fill(Meeting& meeting) override {
    take_first(static_cast<std::size_t>(options_.wanted));
    const double opens = std::max(now_, came_.back().job.end);
    meeting.time = now_ = opens + clock_.interaction;
    for (const Arrival& arrival : came_) {
      const LocalJob& job = arrival.job;
      report(meeting,
             {.client = job.client,
              .start = job.start,
              .steps = static_cast<std::uint32_t>(options_.steps),
              .weight = staleness_weight(options_, step() - job.start),
              .number = job.number},
             job.begin);
      go_on(arrival, opens);
    }
    if (goes_on_at_once()) go_on_during_step();
    std::sort(meeting.contacts.begin(), meeting.contacts.end(),
              [](const Contact& a, const Contact& b) { return a.client < b.client; });
  }

  bool goes_on_at_once() const {
    return options_.in_flight == 0 && options_.restart == Restart::at_once;
  }

  // Waiting updates have arrived before all that are still to come.
  void take_first(std::size_t count) {
    came_.clear();
    for (; came_.size() < count && !waiting_.empty(); waiting_.pop_front())
      came_.push_back(waiting_.front());
    for (; came_.size() < count; queue_.pop()) came_.push_back({queue_.top()});
  }

  // Lets a client continue whose update is used in the server step that begins at `opens`.
  void go_on(const Arrival& arrival, double opens) {
    const std::uint32_t client = arrival.job.client;
    if (options_.in_flight > 0) {
      hand_out();
    } else if (goes_on_at_once()) {
      const std::uint32_t model = arrival.next.value_or(newest(arrival.job.end));
      arrival.next ? catches_up(model) : begins(model);
      begin_job(client, arrival.job.end, model, opens);
    } else {
      begin(client, now_, options_.restart == Restart::renewed ? step() + 1 : step());
    }
  }

  // Clients that report before this server step ends wait for a later step, and continue from the
  // model before this step. All of them are found here, so the model that a client continues from
  // is known while it is the newest.
  void go_on_during_step() {
    for (; !queue_.empty() && queue_.top().end < now_; queue_.pop()) {
      waiting_.push_back({queue_.top(), step()});
      begins_ahead(step());
    }
  }

  // Returns the newest model at `time`, which is not before the previous server step.
  std::uint32_t newest(double time) const { return time < now_ ? step() : step() + 1; }

  // The model after this server step goes to a random client, which may be at work.
  void hand_out() { begin(next_client(seed_, step() + 1, clients_), now_, step() + 1); }

  void begin(std::uint32_t client, double time, std::uint32_t model) {
    begins(model);
    begin_job(client, time, model, 0);
  }

  // The client reports when the job is done, but not before `not_before`, when the server takes its
  // previous update.
  void begin_job(std::uint32_t client, double time, std::uint32_t model, double not_before) {
    if (!busy_until_.empty()) time = std::max(time, busy_until_[client]);
    const std::uint32_t own = jobs_[client]++;
    const double end = clock_.end_of_job(*law_, {seed_, client, own}, options_.steps, time);
    if (!busy_until_.empty()) busy_until_[client] = end;
    queue_.push({time, std::max(end, not_before), client, model, own});
  }

  ClockSettings clock_;
  ArrivalOptions options_;
  std::uint64_t seed_;
  std::uint32_t clients_;
  double now_ = 0;  ///< when the last server step has ended
  std::unique_ptr<StepTime> law_;
  std::priority_queue<LocalJob, std::vector<LocalJob>, std::greater<>> queue_;  ///< under way
  std::deque<Arrival> waiting_;      ///< at the server, in order of arrival
  std::vector<std::uint32_t> jobs_;  ///< by client, so far
  std::vector<double> busy_until_;   ///< by client, where it may get several models
  std::vector<Arrival> came_;        ///< used in this server step
};

}  // namespace

Pace arrivals(const Settings& experiment, const ArrivalOptions& options) {
  using Restart = ArrivalOptions::Restart;
  constexpr const char* restarts[] = {"at-once", "consumed", "renewed"};
  ArrivalOptions read = options;
  if (options.in_flight == 0) {
    const std::string restart = experiment.section("clock").choice(
        "restart", restarts[static_cast<int>(options.restart)],
        {std::begin(restarts), std::end(restarts)},
        "when a client continues after its report: at once, from the newest model, or at the end of the "
        "server step that uses its update, from the model before that step (consumed, as in a "
        "published simulator) or after it (renewed)");
    for (const Restart one : {Restart::at_once, Restart::consumed, Restart::renewed})
      if (restart == restarts[static_cast<int>(one)]) read.restart = one;
  }
  const auto resolved = [=](const TimelineSetup& setup) {
    const auto clients = static_cast<long>(setup.clients);
    if (read.wanted > clients)
      experiment.section("server").refuse(
          "buffer", fmt::format("more than the {} clients; lower server.buffer", setup.clients));
    ArrivalOptions all = read;
    if (all.wanted == 0) all.wanted = std::min(usual_buffer, clients);
    return all;
  };
  if (is_real(experiment))
    return {nullptr,
            [=](const TimelineSetup& setup) { return live_arrivals(resolved(setup), setup); }};
  return {[=, clock = read_clock(experiment, options.steps)](
              const TimelineSetup& setup) -> std::unique_ptr<Timeline> {
            return std::make_unique<Arrivals>(clock, resolved(setup), setup);
          },
          nullptr};
}

}  // namespace trilemma
