#pragma once

#include <deque>
#include <map>

#include "driver/letters.hpp"
#include "driver/start_models.hpp"
#include "federation/round.hpp"

namespace trilemma {

/// What a rank that hosts clients does in real time: local steps, one after the other for all of
/// its clients that have some to do, and whatever rank 0 says in between.
class AsyncWorker {
 public:
  /// All must outlive this; steps take `slowdown` times as long.
  AsyncWorker(const Plan& plan, Assembly& parts, Ranks& ranks, Round& round, double slowdown);

  /// Works until rank 0 calls a meeting; returns the server steps that are done then.
  std::uint32_t run(PhaseTimer& timer);

 private:
  struct Work {
    LocalJob job;
    std::uint32_t steps = 0;  ///< that are done
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
  std::map<std::uint32_t, std::deque<Work>> work_;  ///< by client, in their order
  std::uint32_t last_ = 0;                          ///< client that took the last step
  double not_before_ = 0;                           ///< time of the next step
  StartModels models_;
  std::uint32_t newest_ = 0;  ///< of the models that have come
  std::uint32_t step_ = 0;
  Bytes letter_;
};

}  // namespace trilemma
