#pragma once
// The federation that is audited: all parts of an experiment but its data and its problem.

#include <functional>

#include "audit/canary.hpp"
#include "audit/signal.hpp"
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
  Plan plan;
  std::uint64_t seed = 0;    ///< of the experiment; every run has its own
  std::size_t records = 0;   ///< of a client
  std::size_t clients = 0;   ///< of the federation
  std::size_t canaries = 0;  ///< 1, or those of an audit in one run
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

}  // namespace trilemma
