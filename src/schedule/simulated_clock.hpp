#pragma once
// The event source of simulated time: a policy hears of clients whose jobs are done in the order of
// drawn times.

#include <queue>

#include "schedule/policies.hpp"
#include "schedule/step_count.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Server steps of a policy whose clients take drawn times for their local steps. A client's update
/// is at the server as soon as its job is done, and it has at most one there that has not been used
/// while it works ahead: a second one is held until then. Of clients that are done at one time the
/// one with the smaller number comes first. Where the server interrupts clients
/// (AsyncPolicy::pause) their steps are counted and no step is an event.
class SimulatedClock final : public StepSequence {
 public:
  SimulatedClock(ClockSettings settings, std::unique_ptr<AsyncPolicy> policy,
                 const PolicySetup& setup);

  double expected() const override { return policy_->expected(); }
  bool contacts_alike() const override { return policy_->contacts_alike(); }

 private:
  // A job that has begun and whose update is not yet received. Its end is relative to origin_.
  struct Started {
    LocalJob job;
    double begin, end;
    bool is_ahead = false;  ///< begun while the client's previous update was at the server
    bool is_held = false;   ///< done, while that still is so
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
  void work_until(double end);
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
  TimedStep* server_step_ = nullptr;  ///< under way
  Actions actions_;
  double origin_ = 0;  ///< time of the server step's opening where no job was under way, else 0
  double now_ = 0;     ///< relative to it
  std::priority_queue<End, std::vector<End>, std::greater<>> queue_;
  std::vector<std::deque<Started>> started_;  ///< by client
  std::uint32_t under_way_ = 0;               ///< jobs in it
  std::vector<std::uint32_t> at_server_;      ///< by client, updates that have not been used
  std::vector<std::uint32_t>
      sent_;  ///< clients whose updates have come and that have not continued
  std::vector<std::uint32_t> used_;  ///< clients whose updates the open server step has
  bool is_continuing_ = false;       ///< clients are
};

/// Returns the simulated clock of a method as an experiment has chosen it.
std::unique_ptr<StepSequence> simulated(const Asynchrony& asynchrony, const PolicySetup& setup);

}  // namespace trilemma
