#pragma once

#include "schedule/timeline.hpp"

namespace trilemma {

/// A client's local job; the address of the times of its steps.
struct JobAddress {
  std::uint64_t seed;
  std::uint32_t client;
  std::uint32_t number;  ///< of the client's jobs, or of its contacts
};

/// Address of the times of a client's steps from its contact or job `number` on.
inline Key step_times_of(std::uint64_t seed, std::uint32_t client, std::uint32_t number) {
  return {seed, Purpose::step_time, client, number};
}

/// Keys of [clock] that all timelines read.
struct ClockSettings {
  Settings section;
  StepTimeMaker law;
  double interaction;
  double waiting;         ///< of interrupts
  bool one_draw = false;  ///< the steps of a job all take the same time

  std::unique_ptr<StepTime> make_law(const TimelineSetup& setup) {
    return law(section, setup.seed, setup.clients);
  }
  /// When a job of so many steps ends that begins at a time: each step takes a time of its own, or
  /// all of them the time of the first one ([FAV] appendix C.2).
  double end_of_job(const StepTime& times, const JobAddress& job, long steps, double begin) const;
};
/// For timelines whose contacts do not depend on a number of steps that is set beforehand.
ClockSettings read_clock(const Settings& experiment);
/// For timelines of jobs of up to so many steps.
ClockSettings read_clock(const Settings& experiment, long steps);

/// Reads clock.time: true for real time.
bool is_real(const Settings& experiment);
/// Reads clock.waiting_seconds, of interrupts in real time.
double read_waiting_seconds(const Settings& experiment);

}  // namespace trilemma
