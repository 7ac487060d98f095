#pragma once
// The factor alpha by which FAVANO divides a client's progress, so that fast and slow clients count
// equally ([FAV] section 3): alpha = E[E ^ K] (deterministic) or P(E > 0) (E ^ K) (stochastic),
// where E is the number of local steps that a client has time for between two contacts and E ^ K =
// min(E, K).

#include "schedule/policies.hpp"

namespace trilemma {

/// Source of each client's alpha: a known law, or estimates from contacts.
class AlphaSource {
 public:
  virtual ~AlphaSource() = default;
  /// Returns the alpha of the client's next contact.
  virtual Alpha alpha(std::uint32_t client) const = 0;
  /// Records that a contact had `steps` = E ^ K local steps.
  virtual void observe(std::uint32_t /*client*/, std::uint32_t /*steps*/) {}
  virtual void persist(State&) {}
};

/// Returns the source for the simulated clock: alpha computed from the law of the step times,
/// exactly or by simulation (count_steps()). `duration` is the time of a server step, `expected`
/// the expected number of its contacts.
std::unique_ptr<AlphaSource> known_alpha(ClockSettings clock, const InterruptingOptions& options,
                                         const PolicySetup& setup, double duration,
                                         double expected);

/// Returns the source for real time, which estimates alpha from the client's earlier contacts: the
/// mean of E ^ K, or the share of contacts with a step times E ^ K. Before the first contact with a
/// step, alpha is E ^ K.
std::unique_ptr<AlphaSource> estimated_alpha(const InterruptingOptions& options,
                                             std::uint32_t clients);

}  // namespace trilemma
