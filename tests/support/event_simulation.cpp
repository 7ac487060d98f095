#include "tests/support/event_simulation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace trilemma::testing {
namespace {

using GoesOn = EventRules::GoesOn;

// At the same time the server's step ends first, then clients report in the order of their numbers.
struct Event {
  double time;
  enum Kind { step_ends, client_comes } kind;
  EventContact job;
  bool operator>(const Event& other) const {
    return std::tie(time, kind, job.client) > std::tie(other.time, other.kind, other.job.client);
  }
};

class Simulation {
 public:
  explicit Simulation(const EventRules& rules)
      : rules_(rules), held_(rules.clients), jobs_(rules.clients, 0), free_at_(rules.clients, 0.0) {
    for (const std::uint32_t client : rules_.first) begin_job(client);
  }

  std::vector<EventStep> run(std::size_t steps) {
    while (done_.size() < steps) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        event.kind == Event::step_ends ? end_step() : come(event.job);
      }
      while (!is_busy_ && room_.size() >= rules_.buffer) begin_step();
      while (!going_on_.empty()) go_on(going_on_.front());
    }
    return done_;
  }

 private:
  // A client has at most one update at the server. With a second one it waits.
  void come(const EventContact& job) {
    if (rules_.goes_on == GoesOn::at_once && has_update_in_room(job.client))
      held_[job.client] = job;
    else
      enter(job);
  }
  void enter(const EventContact& job) {
    room_.emplace(std::pair{now_, job.client}, job);
    if (rules_.goes_on == GoesOn::at_once) going_on_.push_back(job.client);
  }
  bool has_update_in_room(std::uint32_t client) const {
    return std::any_of(room_.begin(), room_.end(),
                       [&](const auto& entry) { return entry.second.client == client; });
  }

  void begin_step() {
    is_busy_ = true;
    used_.clear();
    for (std::size_t i = 0; i < rules_.buffer; ++i) {
      used_.push_back(room_.begin()->second);
      room_.erase(room_.begin());
    }
    for (const EventContact& job : used_)
      if (const auto second = std::exchange(held_[job.client], std::nullopt)) enter(*second);
    if (rules_.interaction > 0)
      return events_.push({now_ + rules_.interaction, Event::step_ends, {}});
    end_step();
    // A step that takes no time is over when its clients continue.
    for (const EventContact& job : used_)
      if (std::find(going_on_.begin(), going_on_.end(), job.client) != going_on_.end() &&
          !has_update_in_room(job.client))
        go_on(job.client);
  }

  void end_step() {
    is_busy_ = false;
    EventStep step{now_, used_};
    std::sort(step.contacts.begin(), step.contacts.end(),
              [](const EventContact& a, const EventContact& b) { return a.client < b.client; });
    done_.push_back(step);
    if (rules_.goes_on == GoesOn::handed_out)
      begin_job(rules_.next(version()));
    else if (rules_.goes_on != GoesOn::at_once)
      for (const EventContact& job : used_)
        begin_job(job.client, rules_.goes_on == GoesOn::consumed ? 1 : 0);
  }

  void go_on(std::uint32_t client) {
    going_on_.erase(std::find(going_on_.begin(), going_on_.end(), client));
    begin_job(client);
  }

  std::uint32_t version() const { return static_cast<std::uint32_t>(done_.size()); }

  // At the newest version, or `before` versions before it. A client does one job after the other.
  void begin_job(std::uint32_t client, std::uint32_t before = 0) {
    EventContact job{client, version() - before, jobs_[client]++, std::max(now_, free_at_[client])};
    const double end = rules_.end_of_job(client, job.number, job.begin);
    free_at_[client] = end;
    events_.push({end, Event::client_comes, job});
  }

  const EventRules& rules_;
  double now_ = 0;
  bool is_busy_ = false;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::multimap<std::pair<double, std::uint32_t>, EventContact> room_;  ///< updates at the server
  std::vector<std::optional<EventContact>> held_;  ///< by client, its second update
  std::vector<std::uint32_t> jobs_;                ///< by client, so far
  std::vector<double> free_at_;                    ///< by client
  std::vector<std::uint32_t> going_on_;            ///< clients that came at this time
  std::vector<EventContact> used_;                 ///< in the server step
  std::vector<EventStep> done_;
};

}  // namespace

std::vector<EventStep> simulate_events(const EventRules& rules, std::size_t steps) {
  return Simulation(rules).run(steps);
}

}  // namespace trilemma::testing
