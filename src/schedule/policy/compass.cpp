#include <algorithm>
#include <cmath>
#include <map>

#include "schedule/policies.hpp"

namespace trilemma {
namespace {

// Clients that are to come at one time.
struct ArrivalGroup {
  double expected = 0;  ///< when
  double latest = 0;    ///< until when they are waited for
  std::uint32_t missing = 0;
};

// Groups of clients whose numbers of steps are such that they come together, after FedCompass (Li
// et al. 2024). A client that has come gets as many steps as fit before the arrival of a group, if
// these are K_least to K, of the group that allows most; else K, in a group of its own that others
// may join. The speed of a client is that of its last job; the first one, of K_least steps, is in
// no group. The server takes a step when a group is complete or overdue, or a client has come that
// is in none, with all that is there. Simpler than there: a new group does not look ahead to when
// others will come again, clients are served in the order of their numbers, and a client that is
// late is a server step of its own instead of waiting for the next group. After a restart, where
// jobs begin again, the members of a group keep their steps, and are expected with the slowest.
class Compass final : public AsyncPolicy {
 public:
  Compass(const CompassOptions& options, const PolicySetup& setup)
      : AsyncPolicy(setup.clients),
        options_(options),
        began_(setup.clients, 0),
        pace_(setup.clients, 0),
        group_(setup.clients, no_group) {
    for (std::uint32_t client = 0; client < setup.clients; ++client)
      begin(client, 0, options_.least_steps);
  }

  double expected() const override { return static_cast<double>(group_.size()); }
  // A server step has the clients of one group.
  bool contacts_alike() const override { return false; }
  double deadline() const override {
    double next = AsyncPolicy::deadline();
    for (const std::uint32_t client : waiting_)
      if (const auto found = groups_.find(group_[client]); found != groups_.end())
        next = std::min(next, found->second.latest);
    return next;
  }

 private:
  static constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

  void on_start() override {
    began_.assign(began_.size(), now());
    std::map<std::uint32_t, double> durations;
    for (std::uint32_t client = 0; client < group_.size(); ++client) {
      if (group_[client] == no_group) continue;
      double& slowest = durations[group_[client]];
      slowest = std::max(slowest, jobs()[client].front().steps * pace_[client]);
      ++groups_[group_[client]].missing;
    }
    for (const auto& [group, duration] : durations) {
      groups_[group].expected = now() + duration;
      groups_[group].latest = now() + options_.patience * duration;
    }
  }
  void on_open() override { came_.clear(); }
  void on_ready(std::uint32_t client) override {
    pace_[client] = (now() - began_[client]) / jobs()[client].front().steps;
    waiting_.push_back(client);
    const auto found = groups_.find(group_[client]);
    if (found != groups_.end()) --found->second.missing;
  }
  void on_time() override {
    if (asked() > 0) return;
    std::erase_if(waiting_, [&](std::uint32_t client) {
      if (!is_over(group_[client])) return false;
      came_.push_back(client);
      return true;
    });
    if (came_.empty()) return;
    // A group of which a client is taken is over; those who are missing come alone.
    for (const std::uint32_t client : came_) groups_.erase(group_[client]);
    std::sort(came_.begin(), came_.end());
    expect(came_.size());
    for (const std::uint32_t client : came_) {
      const std::uint32_t staleness = step() - jobs()[client].front().base;
      ask({.client = client, .weight = staleness_weight(options_.staleness_power, staleness)});
    }
  }
  void on_close() override {
    for (const std::uint32_t client : came_) give_job(client);
  }
  // Groups are formed again from their members when the jobs begin again (on_start).
  void persist_more(State& state) override {
    for (std::uint32_t& group : group_)
      if (!groups_.contains(group)) group = no_group;
    state.values(pace_);
    state.values(group_);
    state.value(next_group_);
  }

  bool is_over(std::uint32_t group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() || found->second.missing == 0 || found->second.latest <= now();
  }

  void give_job(std::uint32_t client) {
    const double pace = pace_[client];
    std::uint32_t group = no_group;
    double most = 0;
    for (const auto& [number, other] : groups_) {
      const double fits = std::floor((other.expected - now()) / pace);
      if (!(fits >= static_cast<double>(options_.least_steps) &&
            fits <= static_cast<double>(options_.most_steps) && fits > most))
        continue;
      group = number;
      most = fits;
    }
    if (group == no_group) {
      most = static_cast<double>(options_.most_steps);
      group = next_group_++;
      groups_[group] = {now() + most * pace, now() + options_.patience * most * pace};
    }
    ++groups_.at(group).missing;
    group_[client] = group;
    began_[client] = now();
    begin(client, step() + 1, static_cast<long>(most));
  }

  CompassOptions options_;
  std::vector<double> began_;                     ///< by client: when its job began
  std::vector<double> pace_;                      ///< by client: time of a step of its last job
  std::vector<std::uint32_t> group_;              ///< by client
  std::vector<std::uint32_t> waiting_;            ///< clients that have come
  std::vector<std::uint32_t> came_;               ///< those of the open server step
  std::map<std::uint32_t, ArrivalGroup> groups_;  ///< of which no client has been taken
  std::uint32_t next_group_ = 0;
};

}  // namespace

Asynchrony compass(const Settings& experiment, const CompassOptions& options) {
  return on_clock(experiment, options.most_steps, [options](const PolicySetup& setup) {
    return std::make_unique<Compass>(options, setup);
  });
}

}  // namespace trilemma
