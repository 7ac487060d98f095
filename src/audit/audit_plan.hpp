#pragma once
// The federation that is audited: all parts of an experiment but its data and its problem.

#include <functional>

#include "audit/attack.hpp"
#include "audit/canary.hpp"
#include "audit/options.hpp"
#include "claim/theorems.hpp"
#include "experiment/plan.hpp"

namespace trilemma {

/// What the adversary of a claim looks at in every round.
enum class Tap {
  message,  ///< what one client sends, decoded
  sum,      ///< the sum of all messages over the root of their number: the noise of one message
  mean,     ///< the mean that a trusted server has perturbed, before its memory
};

/// What the adversary knows besides.
struct Knowledge {
  bool draws = true;   ///< whether the client under test takes part
  bool others = true;  ///< what the other clients contribute
};

/// An experiment made ready for an attack on its noise.
struct AuditPlan {
  AuditOptions asked;  ///< by the command line
  Plan plan;
  std::uint64_t seed = 0;    ///< of the experiment; every run has its own
  std::size_t records = 0;   ///< of a client
  std::size_t clients = 0;   ///< of the federation
  std::size_t canaries = 0;  ///< 1, or those of an audit in one run
  long runs = 1;             ///< in each of the two worlds; as asked for, else fewer of many rounds
  double gradient = 0;       ///< length of a canary's gradient
  double sigma = 0;          ///< noise per coordinate
  double delta = 0;
  Releases releases;              ///< of a client, as accounted
  Account account;                ///< with the epsilon that is claimed
  std::optional<double> nominal;  ///< epsilon for which a paper's closed form gave the noise
  Tap tap = Tap::message;
  Knowledge knows;
  Signal signal;
  bool is_denser = false;  ///< all coordinates are sent, unlike in the experiment
  bool unsampled = false;  ///< a Gaussian mechanism in every round: the epsilon of mu-GDP applies
  std::vector<std::string> changes;  ///< what differs from the experiment, one sentence each
  /// The participants of a run follow from its seed.
  std::function<Choice<Schedule>(std::uint64_t seed)> schedule;

  /// "record" or "client": what is under test.
  const char* unit() const { return name(plan.protects_clients() ? Unit::client : Unit::record); }
};

/// With the unit under test, or with its neighbour in its place.
enum class World { absent, present };

/// Reads the experiment and puts canaries for its data and problem. Of a method that protects
/// records: records are as many as in the experiment up to a cap; the batch shrinks with them so
/// that the sampling rate stays. Of a method that protects clients: one record each, few clients,
/// drawn at the rate of the experiment. The noise grows so that its ratio to the sensitivity stays.
/// Every coordinate is sent, unless the command line names a compressor. Refuses an experiment for
/// which no finite epsilon can be accounted.
AuditPlan plan_audit(const AuditOptions& options);

/// The data of one world: the canary has +gradient along its coordinate where it is present.
CanaryData repeated_canary(const AuditPlan& audit, World world);

/// The client, record and coordinate of canary i.
Canary canary(const AuditPlan& audit, std::size_t i);

// Steps of plan_audit.

/// A gradient this many bounds long shows whether it is clipped.
inline constexpr double canary_excess = 1024;

/// What a plan claims to do: its releases, for clients of so many records, and their noise.
struct Claimed {
  Releases releases;
  double sigma = 0;
  double sensitivity() const { return releases.of_every_round().sensitivity.total(); }
};
Claimed claimed_by(const Plan& plan, std::size_t records);

/// Puts canaries for data and problem, in a model of `dimension` coordinates, and the compressor
/// that belongs to it.
void set_canary_problem(std::size_t dimension, AuditPlan& audit);

/// Takes over what the audited federation claims at its own sensitivities, under noise that has the
/// same ratio to them as in the experiment.
void keep_noise_ratio(const Claimed& experiment, AuditPlan& audit);

/// Makes a federation of few clients with single records under test; or one of which a whole
/// client is.
void place_records(AuditPlan& audit);
void place_clients(AuditPlan& audit);

}  // namespace trilemma
