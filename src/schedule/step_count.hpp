#pragma once
// Number of local steps of a client between two contacts.

#include "schedule/step_time.hpp"

namespace trilemma {

/// Probabilities that E ^ K = min(E, K) is 0, 1, ..., K, where E is the number of steps since the
/// last contact.
struct StepCount {
  std::vector<double> probability;

  double some() const { return 1 - probability.front(); }  ///< P(E > 0)
  double mean() const;                                     ///< E[E ^ K]
  double mean_square() const;                              ///< E[(E ^ K)^2]
  double mean_inverse() const;                             ///< E[1{E > 0} / (E ^ K)]
};

/// Parameters of the steps between two contacts.
struct StepCounting {
  long most_steps = 20;  ///< K: a client waits after this many steps
  double duration = 7;   ///< time of a server step
  double contacted = 1;  ///< probability that a server step contacts the client
  bool keeps = false;    ///< the step under way at a contact continues and keeps its drawn time
};

/// Returns the probabilities of E ^ K. They are exact if the law has closed forms
/// (StepTime::sum_at_most()) and the time of a step under way does not matter, because it is
/// discarded or the law is memoryless. Otherwise they are estimated from 2^16 simulated contacts
/// with separate random numbers.
StepCount count_steps(const StepTime& law, std::uint32_t client, const StepCounting& how);
/// Returns the probabilities of E ^ K if E is drawn as in the wording of [FAV] section 5: geometric
/// on 1, 2, ...
StepCount count_drawn_steps(double chance, long most_steps);

/// Counts the steps of each client since its last contact.
class StepCounter {
 public:
  /// `keeps`: the step under way at a contact continues and keeps its drawn time.
  StepCounter(const StepTime& law, std::uint32_t clients, long most_steps, bool keeps);
  /// Returns the steps of a client since its last contact, at a contact at time `now`. The address
  /// of `stream` must be that of the client and the number of the contact.
  std::uint32_t take(std::uint32_t client, double now, Stream& stream);

 private:
  const StepTime& law_;
  long most_steps_;
  bool keeps_;
  std::vector<double> since_;      ///< time of the last contact, by client
  std::vector<double> under_way_;  ///< end of the step under way, by client, if it is kept
};

}  // namespace trilemma
