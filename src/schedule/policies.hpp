#pragma once
// The asynchronous policies, one file each in schedule/policy. A method with a policy of its own
// declares it in its own file.

#include "schedule/async_policy.hpp"
#include "schedule/clock_settings.hpp"

namespace trilemma {

/// How a method is asynchronous: its policy and the event source that an experiment has chosen.
struct Asynchrony {
  PolicyMaker policy;                  ///< empty: rounds, without a clock
  std::optional<ClockSettings> clock;  ///< simulated clock; nullopt = real time
};

/// Reads the event source and, for the simulated clock, its settings for jobs of up to `steps`
/// steps that clients finish.
inline Asynchrony on_clock(const Settings& experiment, long steps, PolicyMaker policy) {
  if (is_real(experiment)) return {std::move(policy), {}};
  return {std::move(policy), read_clock(experiment, steps)};
}

/// Semi-synchronous: the server draws clients, which take `steps` steps each from its newest model,
/// and waits for all of them (FedAvg).
Asynchrony semi_synchronous(const Settings& experiment, long steps);

/// Options of the buffered policy: clients work without pause, and the server steps after every
/// `wanted` updates (FedBuff, FedAsync), or hands out a model after every single one (AsyncSGD).
struct BufferedOptions {
  long steps = 20;  ///< K: local steps of a job
  long wanted = 1;  ///< Z: updates of different clients in a server step; 0 = 10, or the number of
                    ///< clients if smaller
  long in_flight = 0;  ///< models under computation by random clients; 0 = one at every client
  double staleness_power = 0;  ///< power of the weight (1 + staleness)^-power
  /// Default of clock.restart, which says when a client continues and from which model. at_once:
  /// when its update has reached the server, from the newest model. consumed, renewed: at the end
  /// of the server step that uses its update, from the model before or after that step.
  enum class Restart { at_once, consumed, renewed } restart = Restart::at_once;
};
Asynchrony buffered(const Settings& experiment, const BufferedOptions& options);

/// Returns the clients that begin at the start model: all, or options.in_flight random ones.
std::vector<std::uint32_t> first_clients(const BufferedOptions& options, const PolicySetup& setup);
/// Returns the random client that gets model `version`.
std::uint32_t next_client(std::uint64_t seed, std::uint32_t version, std::uint32_t clients);

/// Options of the interrupting policy: clients work without pause, and the server interrupts drawn
/// clients ([FAV] sections 2 and 5: FAVANO, QuAFL).
struct InterruptingOptions {
  long most_steps = 20;  ///< K: a client waits after this many steps
  /// A client continues from the model after the server step, not the one before.
  bool gives_new = true;
  bool keeps = false;  ///< default of clock.under_way: a step under way at a contact continues
  /// In the last server step all clients are contacted, their progress is not reweighted, and the
  /// server's model becomes the mean of all n + 1 models, mu_T of [FAV].
  bool ends_with_all = false;
  enum class Factor { none, stochastic, deterministic } factor = Factor::none;  ///< 1 / alpha
};
Asynchrony interrupting(const Settings& experiment, const InterruptingOptions& options);

/// Options of the FedCompass policy (Li et al. 2024): clients get as many steps as fit before the
/// expected arrival of others, so that they report in groups.
struct CompassOptions {
  long least_steps = 4, most_steps = 20;
  double patience = 1.2;  ///< waiting time for a group, as a multiple of its expected duration
  double staleness_power = 0.5;  ///< power of the weight (1 + staleness)^-power
};
Asynchrony compass(const Settings& experiment, const CompassOptions& options);

}  // namespace trilemma
