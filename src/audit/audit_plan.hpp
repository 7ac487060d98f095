#pragma once
// The federation under audit: all parts of an experiment except its data and its problem.

#include "audit/attack.hpp"
#include "audit/canary.hpp"
#include "audit/options.hpp"
#include "claim/theorems.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// What the adversary of a claim observes in every round.
enum class Tap {
  message,  ///< the decoded message of one client
  sum,   ///< sum of all messages, divided by the root of their number: has the noise of one message
  mean,  ///< the mean perturbed by a trusted server, before the server memory
  shuffled,  ///< the decoded messages of all clients, in random order
  output,    ///< the last model only
};

/// Further knowledge of the adversary.
struct Knowledge {
  bool draws = true;   ///< whether the client under test participates
  bool others = true;  ///< the contributions of the other clients
};

/// An experiment prepared for an attack on its noise.
struct AuditPlan {
  AuditOptions asked;  ///< options of the command line
  Plan plan;
  std::uint64_t seed = 0;    ///< of the experiment; every run has its own
  std::size_t records = 0;   ///< number of records of a client
  std::size_t clients = 0;   ///< number of clients in the federation
  std::size_t canaries = 0;  ///< 1, or the number in an audit in one run
  long runs = 1;             ///< number in each of the two worlds; fewer for many rounds
  double gradient = 0;       ///< norm of a canary's gradient
  double sigma = 0;          ///< standard deviation of the noise per coordinate
  double delta = 0;
  Releases releases;  ///< releases of a client, as accounted
  Account account;    ///< includes the claimed epsilon
  std::optional<double>
      nominal;  ///< epsilon of the paper's closed form, if that determined the noise
  Tap tap = Tap::message;
  Knowledge knows;
  Signal signal;
  /// Signal of the rounds between anchors of a recursion, if it differs.
  std::optional<Signal> later = {};
  /// Returns the signal of `round`.
  const Signal& signal_of(std::size_t round) const {
    return later && !plan.method.recursion.is_anchor(static_cast<std::uint32_t>(round)) ? *later
                                                                                        : signal;
  }
  /// Returns whether observations are compared as they are: log-likelihood ratios of rounds, or the
  /// last model.
  bool shows_ratios() const {
    return tap == Tap::output || tap == Tap::shuffled || plan.joint.is_masked();
  }
  bool is_denser = false;            ///< whether all coordinates are sent, unlike in the experiment
  bool unsampled = false;            ///< a Gaussian mechanism in every round, so mu-GDP applies
  std::vector<std::string> changes;  ///< differences from the experiment, one sentence each

  /// Returns "record" or "client", the unit under test.
  const char* unit() const { return name(plan.protects_clients() ? Unit::client : Unit::record); }
};

/// Whether a run contains the unit under test, or its neighbour instead.
enum class World { absent, present };

/// Reads the experiment and replaces its data and problem by canaries. For a method that protects
/// records, clients have as many records as in the experiment up to a cap, and the batch is reduced
/// so that the sampling rate stays the same. For a method that protects clients, there are few
/// clients with one record each, drawn at the rate of the experiment. The ratio of the noise to the
/// sensitivity stays the same. Every coordinate is sent, unless the command line names a
/// compressor. Throws UserError for an experiment for which no finite epsilon can be accounted.
AuditPlan plan_audit(const AuditOptions& options);

/// Returns the data of one world: where the canary is present, it has +gradient along its
/// coordinate. Where messages are shuffled the other clients have -gradient.
CanaryData repeated_canary(const AuditPlan& audit, World world);

/// Returns the client, record and coordinate of canary i.
Canary canary(const AuditPlan& audit, std::size_t i);

/// Steps of plan_audit().

/// Length of a canary's gradient in bounds; long enough to show whether it is clipped.
inline constexpr double canary_excess = 1024;

/// What a plan claims: its releases, for clients of a given size, and their noise.
struct Claimed {
  Releases releases;
  double sigma = 0;
  /// Returns the sensitivity of the first round.
  double sensitivity() const { return releases.list.front().sensitivity.total(); }
};
/// Returns the claim of `plan` for clients with `records` records each.
Claimed claimed_by(const Plan& plan, std::size_t records);

/// Replaces data and problem by canaries in a model of `dimension` coordinates, and adapts the
/// compressor to it.
void set_canary_problem(std::size_t dimension, AuditPlan& audit);

/// Sets the releases of the audited federation at its own sensitivities, and noise with the same
/// ratio to them as in the experiment.
void keep_noise_ratio(const Claimed& experiment, AuditPlan& audit);

/// Sets up a federation of few clients with single records under test; place_clients() sets up one
/// with a whole client under test.
void place_records(AuditPlan& audit);
void place_clients(AuditPlan& audit);

}  // namespace trilemma
