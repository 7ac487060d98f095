#include <algorithm>
#include <cmath>
#include <map>

#include "schedule/policies.hpp"

namespace trilemma {
namespace {

// A group of clients that are expected to report at one time.
struct ArrivalGroup {
  double expected = 0;  ///< expected time of arrival
  double latest = 0;    ///< time until which the server waits
  std::uint32_t missing = 0;
};

// The policy of FedCompass (Li et al. 2024), which assigns numbers of steps so that clients report
// in groups. A client that has reported gets the largest number of steps, from K_least =
// server.least_steps to K = local.steps, with which it meets the expected arrival of a group. If no
// group fits, the client gets K steps and a new group that others may join. The speed of a client
// is that of its last job; its first job, of K_least steps, belongs to no group. The server takes a
// step with all updates that are ready when a group is complete or overdue, or when a client
// without a group has reported.
// Differences from the paper: a new group does not anticipate when others will report again,
// clients are served in the order of their numbers, and the update of a late client enters a server
// step of its own instead of waiting for the next group. After a restart, when jobs begin again,
// the members of a group keep their steps, and the group is expected when its slowest member is.
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
  // The contacts of a server step are one group, whose size varies.
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
    // A group ends when one of its clients is used; its missing members report on their own.
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
  // The groups themselves are rebuilt from their members when the jobs begin again (on_start()).
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
  std::vector<double> began_;           ///< by client: start of its job
  std::vector<double> pace_;            ///< by client: time per step of its last job
  std::vector<std::uint32_t> group_;    ///< by client
  std::vector<std::uint32_t> waiting_;  ///< clients that have reported and wait to be used
  std::vector<std::uint32_t> came_;     ///< clients of the open server step
  std::map<std::uint32_t, ArrivalGroup> groups_;  ///< groups of which no client has been used
  std::uint32_t next_group_ = 0;
};

}  // namespace

Asynchrony compass(const Settings& experiment, const CompassOptions& options) {
  return on_clock(experiment, options.most_steps, [options](const PolicySetup& setup) {
    return std::make_unique<Compass>(options, setup);
  });
}

}  // namespace trilemma
