#pragma once
// Readers of the sections of an experiment, in an order that read_keys() determines
// (read_plan.cpp).

#include "experiment/plan.hpp"
#include "settings/settings.hpp"

namespace trilemma {

/// Reads the sections `data`, `partition` and `problem`. Values that the settings leave open are
/// determined from the files of `folder` unless it is nullptr.
void read_data(const Settings& settings, Plan& plan, DataFolder* folder);
/// Sets the number of clients to the number of users of the data if the partition is natural and
/// the settings do not set `clients`. Must be called once `clients` has been read.
void settle_clients(Settings& settings, Plan& plan, DataFolder* folder);
/// Throws UserError if a private run, or one with minibatches of one record, would use batch
/// normalisation. Must be called once `local` and `privacy` have been read.
void check_batch_normalisation(const Settings& settings, const Plan& plan);
/// Reads the section `start`.
void read_start(const Settings& settings, Plan& plan);
/// Throws UserError if hidden units would start at zero. Called for experiments that a user names
/// only, since a run file of an earlier version may have such a start.
void refuse_zero_start(const Settings& settings, const Plan& plan);

/// Chooses the simulated clock or the real-time policy of an asynchronous method.
void read_pace(const Settings& s, Plan& plan);
/// Derives what depends on the number of rounds, which a budget may have set: the last server step
/// and, for private runs, the largest number of contacts of a client after each step. Throws
/// UserError for more steps than can be simulated.
void settle_pace(const Settings& s, Plan& plan);
/// Throws UserError for uplinks and downlinks that make ranks wait for each other; sets the uplink
/// of real time.
void check_real_exchange(const Settings& exchange, Plan& plan);

/// Reads server.weights: the weight of a client in the server's mean and in the objective. Throws
/// UserError for weights by records if the method or its claim requires equal weights.
void read_weights(const Settings& settings, Plan& plan);

/// Reads the section `privacy` of a plan whose method, bound, sampler and schedule have been
/// chosen. Throws UserError for combinations that no mechanism provides.
PrivacyPlan read_privacy(const Settings& experiment, const Plan& plan);

/// Refuses noise and an epsilon for a method without noise that has a private form: a sigma above
/// 0, and an epsilon that a sigma of 0 does not override, if they come from the command line or a
/// sweep, or from a file that chooses the method itself.
void refuse_noise(const Settings& experiment, const Plan& plan);

/// Reads the section `memory` and chooses the memory: the method's own, or one that the experiment
/// adds to a method without one.
void read_memory(const Settings& settings, Plan& plan);

/// Reads the section `compressor` and chooses the compressor and the step of the memory for the
/// dimension of the plan's problem. Throws UserError for: a biased compressor without a suitable
/// memory; a compressor without the bounds that a trusted server's noise or the step of the memory
/// relies on; messages whose sizes would reveal the participants where the claim assumes that
/// participation is secret.
void read_compressor(const Settings& settings, Plan& plan);

/// Reads the section `downlink` and chooses the compressor of the downlink. Throws UserError for
/// methods whose clients do not receive the complete state of the server.
void read_down_compressor(const Settings& settings, Plan& plan);

/// Returns the number of seconds in $TRILEMMA_WATCHDOG, with which job scripts set the limit for
/// experiments that set none; otherwise 0. Throws UserError if it is not a number of at least 0.
double default_watchdog_seconds();

/// Reads the sections `timing`, `processor`, `communication`, `checkpoint`, `watchdog` and `debug`,
/// and the key `numerics`.
void read_execution(const Settings& s, Plan& plan);

}  // namespace trilemma
