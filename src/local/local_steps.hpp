#pragma once

#include <limits>
#include <string>

#include "local/rate.hpp"

namespace trilemma {

/// What a client sends of its local steps w -> w_E, with rate eta.
enum class Update {
  sum,         ///< (w - w_E) / eta: the sum of the gradients met ([NORM])
  mean,        ///< (w - w_E) / (eta E): their mean ([NEC] P_i)
  difference,  ///< x - w_E, x the model of the round
  own,         ///< w - w_E where w is the client's own model ([PMTL] algorithm 1 as printed)
};

/// From where solvers set out, and what their clients keep.
enum class SolverFamily {
  common,     ///< from the model of the round; nothing is kept
  personal,   ///< from a model of the client's own
  additive,   ///< from the model of the round plus a part of the client's own
  corrected,  ///< from the model of the round, along gradients corrected by control variates
  block,      ///< from the client's own block of a state of all clients' models
  averaged,   ///< from a model of the client's own, which is averaged with the server's
};

/// Local steps of a solver: w -= eta (gradient + pull (w - x)), x the model of the round.
struct LocalSteps {
  std::string solver;  ///< row of solvers(); empty = the method takes no local steps
  SolverFamily family = SolverFamily::common;
  bool is_pass = false;        ///< a step for each record, in place of `count`
  bool counts_epochs = false;  ///< a step is as many minibatches as the records fill
  long count = 1;              ///< E, or T of [NEC]
  Rate rate;                   ///< eta, or gamma of [NEC]
  bool divides_rate = false;   ///< each step has eta / count, so that eta is that of a whole pass
  double pull = 0;             ///< mu of FedProx, lambda of PMTL
  double personal_ratio = 1;   ///< rho of PP-SGD: rate of a client's own part over eta
  Update update = Update::difference;
  bool is_plain = false;  ///< no short cuts: the reference twin

  /// Clients keep models of their own.
  bool is_personal() const {
    return family == SolverFamily::personal || family == SolverFamily::additive;
  }
  /// The update is not zero where all gradients are: the client follows the model of the round, or
  /// corrects its steps.
  bool moves_without_data() const {
    return family == SolverFamily::personal || family == SolverFamily::corrected ||
           family == SolverFamily::averaged;
  }
  /// Step size where a round has `number` steps.
  double step_rate(std::uint32_t round, std::size_t number) const {
    return rate.at(round) / (divides_rate ? static_cast<double>(number) : 1.0);
  }
  /// Distance from the model of the round to w_E for an update of this norm, after `number` steps;
  /// NaN where the update does not tell.
  double drift(double norm, std::uint32_t round, std::size_t number) const;
};

inline double LocalSteps::drift(double norm, std::uint32_t round, std::size_t number) const {
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
