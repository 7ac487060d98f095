#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "schedule/clock_settings.hpp"

namespace trilemma {
namespace {

constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

// Work of a client. Of two that end at one time the client with the smaller number comes first.
struct Assignment {
  double end;
  std::uint32_t client, steps, start, number, group;
  double begin;
  bool operator>(const Assignment& other) const {
    return end != other.end ? end > other.end : client > other.client;
  }
};

// Clients that are to come at one time.
struct ArrivalGroup {
  double expected;  ///< when
  double latest;    ///< until when they are waited for
  std::uint32_t missing = 0;
};

// Groups of clients whose numbers of steps are such that they come together, after FedCompass (Li
// et al. 2024). A client that has come gets as many steps as fit before the arrival of a group, if
// these are K_least to K, of the group that allows most; else K, in a group of its own that others
// may join. The speed of a client is that of its last piece of work; the first one, of K_least
// steps, is in no group. The server takes a step when a group is complete or overdue, or a client
// has come that is in none, with all that is there. Simpler than there: a new group does not look
// ahead to when others will come again, clients are served in the order of their numbers, and who
// is late is a server step of its own instead of waiting for the next group.
class Compass final : public Timeline {
 public:
  Compass(ClockSettings clock, const CompassOptions& options, const TimelineSetup& setup)
      : clock_(std::move(clock)),
        options_(options),
        seed_(setup.seed),
        law_(clock_.make_law(setup)),
        pieces_(setup.clients, 0) {
    for (std::uint32_t client = 0; client < setup.clients; ++client)
      assign(client, 0, static_cast<std::uint32_t>(options_.least_steps), no_group);
  }

  double expected() const override { return static_cast<double>(pieces_.size()); }
  // A server step has the clients of one group.
  bool meets_alike() const override { return false; }

 private:
  void fill(Meeting& meeting) override {
    std::vector<Assignment> ready = collect();
    meeting.time = now_ += clock_.interaction;
    std::sort(ready.begin(), ready.end(),
              [](const Assignment& a, const Assignment& b) { return a.client < b.client; });
    for (const Assignment& done : ready) {
      report(meeting,
             {.client = done.client,
              .start = done.start,
              .steps = done.steps,
              .weight = std::pow(1.0 + (step() - done.start), -options_.staleness_power),
              .number = done.number},
             done.begin);
    }
    for (const Assignment& done : ready) give_work(done);
  }

  // Waits until something is ready, and takes all that is.
  std::vector<Assignment> collect() {
    while (true) {
      arrive();
      std::vector<Assignment> ready;
      std::erase_if(waiting_, [&](const Assignment& done) {
        if (!is_over(done.group)) return false;
        ready.push_back(done);
        return true;
      });
      if (!ready.empty()) {
        // What is handed over is joined by nobody; who is missing comes alone.
        for (const Assignment& done : ready) groups_.erase(done.group);
        return ready;
      }
      now_ = next_time();
    }
  }

  void arrive() {
    while (!queue_.empty() && queue_.top().end <= now_) {
      waiting_.push_back(queue_.top());
      queue_.pop();
      const auto found = groups_.find(waiting_.back().group);
      if (found != groups_.end()) --found->second.missing;
    }
  }

  bool is_over(std::uint32_t group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() || found->second.missing == 0 || found->second.latest <= now_;
  }

  // The next arrival, or the time at which a group is overdue.
  double next_time() const {
    double next = queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().end;
    for (const Assignment& done : waiting_) next = std::min(next, groups_.at(done.group).latest);
    return next;
  }

  void give_work(const Assignment& done) {
    const double pace = (done.end - done.begin) / done.steps;
    std::uint32_t group = no_group;
    double most = 0;
    for (const auto& [number, other] : groups_) {
      const double fits = std::floor((other.expected - now_) / pace);
      if (fits < static_cast<double>(options_.least_steps) ||
          fits > static_cast<double>(options_.most_steps) || fits <= most)
        continue;
      group = number;
      most = fits;
    }
    if (group == no_group) {
      most = static_cast<double>(options_.most_steps);
      group = next_group_++;
      groups_[group] = {now_ + most * pace, now_ + options_.patience * most * pace};
    }
    assign(done.client, step() + 1, static_cast<std::uint32_t>(most), group);
  }

  void assign(std::uint32_t client, std::uint32_t model, std::uint32_t steps, std::uint32_t group) {
    const std::uint32_t number = pieces_[client]++;
    const double end = clock_.end_of_job(*law_, {seed_, client, number}, steps, now_);
    queue_.push({end, client, steps, model, number, group, now_});
    if (group != no_group) ++groups_.at(group).missing;
    begins(model);
  }

  ClockSettings clock_;
  CompassOptions options_;
  std::uint64_t seed_;
  double now_ = 0;
  std::unique_ptr<StepTime> law_;
  std::vector<std::uint32_t> pieces_;  ///< by client, of work so far
  std::priority_queue<Assignment, std::vector<Assignment>, std::greater<>> queue_;
  std::vector<Assignment> waiting_;               ///< that have come
  std::map<std::uint32_t, ArrivalGroup> groups_;  ///< that have not been handed over
  std::uint32_t next_group_ = 0;
};

}  // namespace

Pace compass(const Settings& experiment, const CompassOptions& options) {
  if (is_real(experiment))
    experiment.section("clock").refuse(
        "time", "speeds are matched on the simulated clock only; leave it out");
  return {[clock = read_clock(experiment, options.most_steps),
           options](const TimelineSetup& setup) -> std::unique_ptr<Timeline> {
            return std::make_unique<Compass>(clock, options, setup);
          },
          nullptr};
}

}  // namespace trilemma
