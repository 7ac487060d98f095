#pragma once
// The event source of simulated time, which delivers the ends of jobs to a policy in the order of
// drawn times.

#include <queue>

#include "schedule/policies.hpp"
#include "schedule/step_count.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Server steps of a policy whose clients take drawn times for their local steps. A client's update
/// is at the server as soon as its job is done. A client that works ahead has at most one unused
/// update there; a second one is held until the first is used. Ties in time go to the client with
/// the smaller number. If the server interrupts clients (AsyncPolicy::pause()), their steps are
/// counted and single steps are no events.
class SimulatedClock final : public StepSequence {
 public:
  SimulatedClock(ClockSettings settings, std::unique_ptr<AsyncPolicy> policy,
                 const PolicySetup& setup);

  double expected() const override { return policy_->expected(); }
  bool contacts_alike() const override { return policy_->contacts_alike(); }

 private:
  // A job that has begun and whose update has not been received. `begin` is absolute, `end` is
  // relative to origin_.
  struct Started {
    LocalJob job;
    double begin, end;
    bool is_ahead = false;  ///< begun while the client's previous update was unused at the server
    bool is_held = false;   ///< done while the previous update is still unused
    bool is_done = false;
  };
  struct End {
    double time;
    std::uint32_t client, number;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : client > other.client;
    }
  };

  void fill(TimedStep& server_step) override;
  void interrupt();
  void wait();
  void use_updates();
  void next_event();
  void finish_job();
  void continue_clients();
  void obey();
  void begin(const LocalJob& job);
  void take(const Request& request);
  std::uint32_t progress(const Started& started);
  std::uint32_t drawn_steps(const LocalJob& job, Stream& stream) const;
  double time() const { return origin_ + now_; }

  ClockSettings settings_;
  std::unique_ptr<AsyncPolicy> policy_;
  std::uint64_t seed_;
  std::unique_ptr<StepTime> law_;
  StepCounter counter_;
  TimedStep* server_step_ = nullptr;  ///< server step being computed
  Actions actions_;
  double origin_ = 0;  ///< opening time of the last server step at which no job was under way
  double now_ = 0;     ///< time relative to origin_
  std::priority_queue<End, std::vector<End>, std::greater<>> queue_;
  std::vector<std::deque<Started>> started_;  ///< by client
  std::uint32_t under_way_ = 0;               ///< number of jobs in started_
  std::vector<std::uint32_t> at_server_;      ///< number of unused updates, by client
  /// Clients whose updates have arrived and that have not continued.
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> used_;  ///< clients whose updates the open server step uses
  bool is_continuing_ = false;       ///< continue_clients() is running
};

/// Returns the simulated clock of a method that an experiment has chosen.
std::unique_ptr<StepSequence> simulated(const Asynchrony& asynchrony, const PolicySetup& setup);

}  // namespace trilemma
