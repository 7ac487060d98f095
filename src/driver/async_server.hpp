#pragma once

#include <map>
#include <utility>
#include <vector>

#include "driver/contact_metrics.hpp"
#include "driver/letters.hpp"
#include "driver/start_models.hpp"
#include "federation/round.hpp"

namespace trilemma {

/// Rank 0 in real time: assigns local jobs, requests updates as the policy decides, and takes a
/// server step when the requested updates have arrived. It never waits for other clients.
class AsyncServer {
 public:
  /// All arguments must outlive this object.
  AsyncServer(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round, ContactMetrics& notes);

  /// Takes the next server step.
  void step(PhaseTimer& timer);
  /// Calls all ranks to a meeting and receives the letters that are still under way.
  void meet();
  /// Records the metrics of the evaluated state.
  void observe_state();
  /// Returns the end and the contacts of every server step so far.
  const std::vector<TimedStep>& server_steps() const { return server_steps_; }

  /// Saves or restores the state. After a restart, clients begin their jobs again.
  void persist(State& server);

 private:
  void start();
  void gather_reports(PhaseTimer& timer);
  void hear(int from, std::span<const std::byte> letter);
  void send_actions();
  void show_life();
  void send(int to, const Instruction& command, std::uint32_t model);
  int rank_of(std::uint32_t client) const;
  double now() const;

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  Round& round_;
  ContactMetrics& notes_;
  std::unique_ptr<AsyncPolicy> policy_;
  Actions actions_;
  StartModels models_;
  std::vector<std::int64_t> newest_;  ///< by rank: version of the last model sent to it; -1 = none
  bool has_started_ = false;
  std::uint64_t handed_out_ = 0;  ///< number of models sent before the first server step
  std::size_t met_ = 0;           ///< number of ranks that have come to the meeting
  TimedStep server_step_;
  std::map<std::uint32_t, Request> asked_;              ///< unanswered requests, by client
  std::vector<std::pair<int, std::uint32_t>> reports_;  ///< rank and client, in order of arrival
  std::vector<std::uint32_t> participants_;
  std::vector<TimedStep> server_steps_;
  double before_ = 0;  ///< seconds of the run before the last restart
  double began_ = 0;
  double showed_life_ = 0;  ///< time of the last sign of life to the other ranks
  Bytes letter_;
};

}  // namespace trilemma
