#pragma once
// By what FAVANO divides a client's progress, so that fast and slow clients count alike ([FAV]
// section 3): alpha = E[E ^ K] (deterministic) or P(E > 0) (E ^ K) (stochastic), where E ^ K is the
// smaller one of E, the local steps that a client has time for between two contacts, and K.

#include "schedule/policies.hpp"

namespace trilemma {

/// The alpha of each client: of a known law, or estimated from contacts.
class AlphaSource {
 public:
  virtual ~AlphaSource() = default;
  /// Returns the alpha of the client's next contact.
  virtual Alpha alpha(std::uint32_t client) const = 0;
  /// A contact has shown `steps` = E ^ K.
  virtual void observe(std::uint32_t /*client*/, std::uint32_t /*steps*/) {}
  virtual void persist(State&) {}
};

/// On the simulated clock: exact, or simulated beforehand (count_steps), from the law of the step
/// times. `duration` is that of a server step, `expected` the expected contacts in it.
std::unique_ptr<AlphaSource> known_alpha(ClockSettings clock, const InterruptingOptions& options,
                                         const PolicySetup& setup, double duration,
                                         double expected);

/// In real time: from the contacts of the client so far, the mean of E ^ K, or the share of
/// contacts with a step times E ^ K; before the first one with a step, E ^ K itself.
std::unique_ptr<AlphaSource> estimated_alpha(const InterruptingOptions& options,
                                             std::uint32_t clients);

}  // namespace trilemma
