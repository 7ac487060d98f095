#pragma once

#include <limits>
#include <string>

#include "local/rate.hpp"

namespace trilemma {

/// The update that a client computes from its local steps w -> w_E with rate eta.
enum class Update {
  sum,         ///< (w - w_E) / eta: the sum of the gradients along the steps ([NORM])
  mean,        ///< (w - w_E) / (eta E): their mean ([NEC] P_i)
  difference,  ///< x - w_E, x the model of the round
  own,         ///< w - w_E where w is the client's own model ([PMTL] algorithm 1 as printed)
};

/// Start of the local steps, and the state that clients keep.
enum class SolverFamily {
  common,        ///< from the model of the round; no state
  personal,      ///< from the client's own model
  additive,      ///< from the model of the round plus the client's own part
  corrected,     ///< from the model of the round, with gradients corrected by control variates
  block,         ///< from the client's block of a state that holds the models of all clients
  averaged,      ///< from the client's own model, which is averaged with the server's
  zeroth_order,  ///< from the model of the round, by differences of losses along common directions
};

/// Defaults of the keys that only minibatches have.
struct MinibatchDefaults {
  bool counts_epochs;    ///< local.unit = "epoch"
  long steps;            ///< local.steps, in this unit
  const char* sampling;  ///< row of samplers()
  long batch;            ///< local.batch
};
/// Estimates of a gradient, and local jobs whose steps a clock counts.
inline constexpr MinibatchDefaults single_minibatches{false, 20, "poisson", 51};
/// Local steps between two rounds: one epoch of FedAvg (McMahan et al. 2017).
inline constexpr MinibatchDefaults one_epoch{true, 1, "shuffled", 32};
/// Local steps whose number determines the length of a message (DeComFL, algorithm 3).
inline constexpr MinibatchDefaults one_minibatch{false, 1, "shuffled", 32};

/// Local steps of a solver: w -= eta (gradient + pull (w - x)), where x is the model of the round.
struct LocalSteps {
  std::string solver;  ///< row of solvers(); empty = the method takes no local steps
  SolverFamily family = SolverFamily::common;
  bool is_pass = false;        ///< one step per record instead of `count` steps
  bool counts_epochs = false;  ///< a step is as many minibatches as an epoch has
  MinibatchDefaults minibatches = single_minibatches;
  long count = 1;             ///< E, or T of [NEC]
  bool can_be_fewer = false;  ///< the server ends the steps of a client early, or chooses fewer
  Rate rate;                  ///< eta, or gamma of [NEC]
  bool divides_rate = false;  ///< each step uses eta / count, so that eta applies to a whole pass
  double pull = 0;            ///< mu of FedProx, lambda of PMTL
  double personal_ratio = 1;  ///< rho of PP-SGD: rate of the client's own part relative to eta
  Update update = Update::difference;
  long perturbations = 0;  ///< P of zeroth-order steps: directions in a step
  double smoothing = 0;    ///< mu of zeroth-order steps: distance of the two losses
  bool is_plain = false;   ///< reference implementation without optimisations, for tests

  /// Returns whether clients keep their own models.
  bool is_personal() const {
    return family == SolverFamily::personal || family == SolverFamily::additive;
  }
  /// Returns whether every client has a model of its own that is evaluated for it: one that it
  /// keeps, or its block of the state.
  bool has_model_of_each() const { return is_personal() || family == SolverFamily::block; }
  /// Returns whether the update can be nonzero when all gradients are 0: clients follow the model
  /// of the round, or correct their steps.
  bool moves_without_data() const {
    return family == SolverFamily::personal || family == SolverFamily::corrected ||
           family == SolverFamily::averaged;
  }
  /// Returns the length E P of a client's vector of zeroth-order steps.
  std::size_t scalars() const {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(perturbations);
  }
  /// Returns the step size of a round with `number` steps.
  double step_rate(std::uint32_t round, std::size_t number) const {
    return rate.at(round) / (divides_rate ? static_cast<double>(number) : 1.0);
  }
  /// Returns the distance from the model of the round to w_E, for an update of norm `norm` after
  /// `number` steps; NaN if the update does not determine it.
  double drift(double norm, std::uint32_t round, std::size_t number) const;
};

inline double LocalSteps::drift(double norm, std::uint32_t round, std::size_t number) const {
  if (family == SolverFamily::zeroth_order) return std::numeric_limits<double>::quiet_NaN();
  switch (update) {
    case Update::sum:
      return step_rate(round, number) * norm;
    case Update::mean:
      return step_rate(round, number) * static_cast<double>(number) * norm;
    case Update::difference:
      return norm;
    case Update::own:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace trilemma
