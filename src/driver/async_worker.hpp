#pragma once

#include <deque>
#include <map>

#include "driver/letters.hpp"
#include "driver/start_models.hpp"
#include "federation/round.hpp"

namespace trilemma {

/// A rank that hosts clients, in real time: takes local steps for its clients in turn, and answers
/// the letters of rank 0 between two steps.
class AsyncWorker {
 public:
  /// Arguments must outlive this object. Local steps take `slowdown` times as long as they would.
  AsyncWorker(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round, double slowdown);

  /// Works until rank 0 calls a meeting. Returns the number of server steps taken by then.
  std::uint32_t run(PhaseTimer& timer);

 private:
  struct Work {
    LocalJob job;
    std::uint32_t steps = 0;  ///< local steps taken so far
  };

  bool obey(std::span<const std::byte> letter, PhaseTimer& timer);
  void answer(const Instruction& command, PhaseTimer& timer);
  void keep_model(std::uint32_t step, std::span<const std::byte> model);
  bool work();
  Task task_of(const Work& work) const;
  void send(const Event& event);

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  Round& round_;
  double slowdown_;
  std::map<std::uint32_t, std::deque<Work>> work_;  ///< jobs by client, oldest first
  std::uint32_t last_ = 0;                          ///< client that took the last local step
  double not_before_ = 0;                           ///< earliest time of the next local step
  StartModels models_;
  std::uint32_t newest_ = 0;  ///< version of the last model received
  std::uint32_t step_ = 0;    ///< server steps taken, as of the last letter
  Bytes letter_;
};

}  // namespace trilemma
