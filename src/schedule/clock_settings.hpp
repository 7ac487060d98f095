#pragma once

#include "schedule/async_policy.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {

/// Identifies a local job of a client; the address of the times of its steps.
struct JobAddress {
  std::uint64_t seed;
  std::uint32_t client;
  std::uint32_t number;  ///< of the client's jobs, or of its contacts
};

/// Returns the address of the times of a client's steps from its contact or job `number` on.
inline Key step_times_of(std::uint64_t seed, std::uint32_t client, std::uint32_t number) {
  return {seed, Purpose::step_time, client, number};
}

/// The simulated clock as [clock] describes it.
struct ClockSettings {
  Settings section;
  StepTimeMaker law;
  double interaction;        ///< time of a server step from its last contact to its end
  bool is_fixed = false;     ///< all steps of a client take the same time
  bool one_draw = false;     ///< the steps of a job all take the same time
  bool keeps = false;        ///< a step under way at a contact ends when it would have
  bool draws_steps = false;  ///< the steps between two contacts are drawn, whatever the time

  std::unique_ptr<StepTime> make_law(const PolicySetup& setup) {
    return law(setup.seed, setup.clients);
  }
  /// Returns when a job of `steps` steps ends that begins at `begin`: each step takes its own time,
  /// or all of them the time of the first one ([FAV] appendix C.2).
  double end_of_job(const StepTime& times, const JobAddress& job, long steps, double begin) const;
};
/// Reads the clock for jobs whose number of steps is not fixed in advance.
ClockSettings read_clock(const Settings& experiment);
/// Reads the clock for jobs of up to `steps` steps.
ClockSettings read_clock(const Settings& experiment, long steps);

/// Reads clock.time: true for real time.
bool is_real(const Settings& experiment);
/// Reads clock.waiting_seconds, of interrupts in real time.
double read_waiting_seconds(const Settings& experiment);

}  // namespace trilemma
