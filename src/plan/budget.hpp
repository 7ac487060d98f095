#pragma once
// Communication budgets in place of a number of rounds.

#include "plan/plan.hpp"

namespace trilemma {

/// Rounds of a run.
inline constexpr double most_rounds = 4e9;

/// Keys of [budget], upload and download: sizes per client, as "1MB" or "8 Mbit"; they are empty by
/// default.
struct BudgetPlan {
  std::string upload, download;
  std::optional<double> time;  ///< simulated
};

BudgetPlan read_budget(const Settings& experiment);

/// Bits that a client sends and receives in a round, exactly encoded, in the mean over the clients
/// and over who takes part; the most, where messages differ in size.
struct BitsPerRound {
  double up = 0, down = 0;
};
BitsPerRound bits_per_round(const Plan& plan);

/// Puts the largest number of rounds that fits into all budgets in place of `rounds` of the file,
/// in the plan and in the resolved configuration; `rounds` of the command line wins over budgets of
/// the file. Refuses budgets that do not pay for one round, or that nothing is charged to.
void apply_budget(Settings& experiment, Plan& plan);

}  // namespace trilemma
