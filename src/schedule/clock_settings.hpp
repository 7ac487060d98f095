#pragma once

#include "schedule/async_policy.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {

/// Identifies a local job of a client and so the random numbers of its step times.
struct JobAddress {
  std::uint64_t seed;
  std::uint32_t client;
  std::uint32_t number;  ///< number of the job, or of the contact
};

/// Returns the key of the random step times of a client's job or contact `number`.
inline Key step_times_of(std::uint64_t seed, std::uint32_t client, std::uint32_t number) {
  return {seed, Purpose::step_time, client, number};
}

/// The simulated clock of the section `clock`.
struct ClockSettings {
  Settings section;
  StepTimeMaker law;
  double interaction;     ///< time from the last contact of a server step to its end
  bool is_fixed = false;  ///< all steps of a client take the same time
  bool one_draw = false;  ///< all steps of a job take the same time
  bool keeps = false;     ///< a step under way at a contact continues and ends at its time
  /// The number of steps between two contacts is drawn, whatever the time.
  bool draws_steps = false;

  std::unique_ptr<StepTime> make_law(const PolicySetup& setup) {
    return law(setup.seed, setup.clients);
  }
  /// Returns the end of a job of `steps` steps that begins at `begin`. Each step takes its own
  /// time, or all steps take the time of the first one ([FAV] appendix C.2).
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
