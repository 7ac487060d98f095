#pragma once
// The asynchronous policies, one file each in schedule/policy. A method that has one of its own
// declares it where it is used.

#include "schedule/async_policy.hpp"
#include "schedule/clock_settings.hpp"

namespace trilemma {

/// How a method is asynchronous: its policy and the event source that an experiment has chosen.
struct Asynchrony {
  PolicyMaker policy;                  ///< empty: rounds, without a clock
  std::optional<ClockSettings> clock;  ///< simulated; nullopt = real time
};

/// Reads the choice of the event source, and the simulated clock for jobs of up to `steps` steps
/// that clients finish.
inline Asynchrony on_clock(const Settings& experiment, long steps, PolicyMaker policy) {
  if (is_real(experiment)) return {std::move(policy), {}};
  return {std::move(policy), read_clock(experiment, steps)};
}

/// Semi-synchronous: the server draws clients, which do `steps` steps each from its newest model,
/// and waits for all of them (FedAvg).
Asynchrony semi_synchronous(const Settings& experiment, long steps);

/// Clients work all the time; the server steps when enough updates have come (FedBuff, FedAsync),
/// or hands a model out for every gradient (AsyncSGD).
struct BufferedOptions {
  long steps = 20;  ///< K: local steps of a job
  long wanted = 1;  ///< Z: updates of different clients in a server step; 0 = 10, or all of fewer
  long in_flight = 0;          ///< models handed out to random clients; 0 = one to every client
  double staleness_power = 0;  ///< of the weight (1 + staleness)^-power
  /// When a client continues, and from which model, unless clock.restart says otherwise: when its
  /// update has reached the server, from the newest; or at the end of the server step that uses its
  /// update, from the model before that step (consumed) or after it (renewed).
  enum class Restart { at_once, consumed, renewed } restart = Restart::at_once;
};
Asynchrony buffered(const Settings& experiment, const BufferedOptions& options);

/// Returns the clients that begin at the start model: all, or options.in_flight drawn at random.
std::vector<std::uint32_t> first_clients(const BufferedOptions& options, const PolicySetup& setup);
/// Returns the client that gets model `version`, where it goes to one drawn at random.
std::uint32_t next_client(std::uint64_t seed, std::uint32_t version, std::uint32_t clients);

/// The server interrupts drawn clients, which work all the time ([FAV] sections 2 and 5: FAVANO,
/// QuAFL).
struct InterruptingOptions {
  long most_steps = 20;   ///< K: a client waits after as many
  bool gives_new = true;  ///< a client continues from the model after the server step, else before
  bool keeps = false;     ///< default of clock.under_way: a step under way at a contact goes on
  /// In the last server step all clients are contacted, their progress counts as it is, and the
  /// server's model becomes the mean of all n + 1 models, mu_T of [FAV].
  bool ends_with_all = false;
  enum class Factor { none, stochastic, deterministic } factor = Factor::none;  ///< 1 / alpha
};
Asynchrony interrupting(const Settings& experiment, const InterruptingOptions& options);

/// Clients get as many steps as fit before the arrival of others, so that they come in groups
/// (FedCompass, Li et al. 2024).
struct CompassOptions {
  long least_steps = 4, most_steps = 20;
  double patience = 1.2;         ///< a group is waited for this many times its expected duration
  double staleness_power = 0.5;  ///< of the weight (1 + staleness)^-power
};
Asynchrony compass(const Settings& experiment, const CompassOptions& options);

}  // namespace trilemma
