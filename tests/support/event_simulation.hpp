#pragma once
// A plain simulation of clients that report to the server on their own, event by event as
// docs/explanation/simulated-clock.md describes it, as a reference for the simulated clock.

#include <cstdint>
#include <functional>
#include <vector>

namespace trilemma::testing {

/// A client update that enters a server step.
struct EventContact {
  std::uint32_t client, base, number;  ///< base: version of the model from which the job began
  double begin;                        ///< of the job
};

struct EventStep {
  double end;
  std::vector<EventContact> contacts;  ///< ascending clients
};

struct EventRules {
  std::uint32_t clients = 1;
  std::size_t buffer = 1;  ///< updates that a server step takes
  double interaction = 0;  ///< time of a server step
  /// When a client continues, and from which version. at_once: on arrival, from the newest version;
  /// consumed and renewed: at the end of the server step that has used its update, from the version
  /// before that step or after it; handed_out: the version after each step goes to a client of
  /// `next`.
  enum class GoesOn { at_once, consumed, renewed, handed_out } goes_on = GoesOn::at_once;
  std::vector<std::uint32_t> first = {};  ///< clients that begin at version 0
  std::function<std::uint32_t(std::uint32_t step)> next = {};
  /// Returns when job `number` of `client` ends that begins at `begin`.
  std::function<double(std::uint32_t client, std::uint32_t number, double begin)> end_of_job = {};
};

/// Returns the first `steps` server steps.
std::vector<EventStep> simulate_events(const EventRules& rules, std::size_t steps);

}  // namespace trilemma::testing
