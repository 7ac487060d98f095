#pragma once

#include <map>
#include <utility>
#include <vector>

#include "driver/contact_metrics.hpp"
#include "driver/letters.hpp"
#include "driver/start_models.hpp"
#include "federation/round.hpp"

namespace trilemma {

/// Rank 0 in real time: says who works at what, takes a step when those that it has asked have
/// reported, and never waits for anybody else.
class AsyncServer {
 public:
  /// All must outlive this.
  AsyncServer(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round, ContactMetrics& notes);

  /// The next server step.
  void step(PhaseTimer& timer);
  /// Calls all ranks together, and hears what was on its way.
  void meet();
  void observe_state();
  /// Contacts so far, by server step, and when these ended.
  const std::vector<TimedStep>& server_steps() const { return server_steps_; }

  /// What a restart must find again. Clients begin their jobs anew then.
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
  std::vector<std::int64_t> newest_;  ///< by rank: of the models that it has got
  bool has_started_ = false;
  std::uint64_t handed_out_ = 0;  ///< models, before the first server step
  std::size_t met_ = 0;           ///< ranks that have come to the meeting
  TimedStep server_step_;
  std::map<std::uint32_t, Request> asked_;              ///< by client, whose reports are missing
  std::vector<std::pair<int, std::uint32_t>> reports_;  ///< rank and client, as they came
  std::vector<std::uint32_t> participants_;
  std::vector<TimedStep> server_steps_;
  double before_ = 0;  ///< seconds before a restart
  double began_ = 0;
  double showed_life_ = 0;  ///< time of the last letters that say that rank 0 is alive
  Bytes letter_;
};

}  // namespace trilemma
