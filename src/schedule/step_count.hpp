#pragma once
// How many local steps a client does between two contacts.

#include "schedule/step_time.hpp"

namespace trilemma {

/// Probabilities that E ^ K, the steps since the last contact and no more than K, is 0, 1, ..., K.
struct StepCount {
  std::vector<double> probability;

  double some() const { return 1 - probability.front(); }  ///< P(E > 0)
  double mean() const;                                     ///< E[E ^ K]
  double mean_square() const;                              ///< E[(E ^ K)^2]
  double mean_inverse() const;                             ///< E[1{E > 0} / (E ^ K)]
};

/// What decides about the steps between two contacts.
struct StepCounting {
  long most_steps = 20;  ///< K: a client waits after so many
  double duration = 7;   ///< of a server step
  double contacted = 1;  ///< probability of a contact in each of them
  bool keeps = false;    ///< the step under way at a contact goes on with the time that was drawn
};

/// Exact where such sums of the law have a closed form and the time of a step under way does not
/// matter: it is discarded, or the law is memoryless. Else from 2^16 simulated contacts with random
/// numbers of their own.
StepCount count_steps(const StepTime& law, std::uint32_t client, const StepCounting& how);
/// Where E is drawn by the literal sentence of [FAV] section 5: geometric on 1, 2, ...
StepCount count_drawn_steps(double chance, long most_steps);

/// What a client has done since its last contact.
class StepCounter {
 public:
  /// `keeps` says whether the step under way at a contact goes on with the time that was drawn.
  StepCounter(const StepTime& law, std::uint32_t clients, long most_steps, bool keeps);
  /// Steps of a client that ends its work at time `now`, the time of this contact; the stream's
  /// address is that of the client and the number of its contact.
  std::uint32_t take(std::uint32_t client, double now, Stream& stream);

 private:
  const StepTime& law_;
  long most_steps_;
  bool keeps_;
  std::vector<double> since_;      ///< time of the last contact, by client
  std::vector<double> under_way_;  ///< when that step ends, by client, where it is kept
};

}  // namespace trilemma
