#pragma once
// Communication budgets in place of a number of rounds.

#include "experiment/plan.hpp"

namespace trilemma {

/// Keys of [budget], upload and download: sizes per client, as "1MB" or "8 Mbit"; they are empty by
/// default.
struct BudgetPlan {
  std::string upload, download;
};

BudgetPlan read_budget(const Settings& experiment);

/// Bits that a client sends and receives in a round, exactly encoded, in the mean over the clients
/// and over who takes part.
struct BitsPerRound {
  double up = 0, down = 0;
};
BitsPerRound bits_per_round(const Plan& plan);

/// Puts the largest number of rounds that fits into all budgets in place of `rounds`, in the plan
/// and in the resolved configuration; without budgets nothing changes. Refuses budgets that do not
/// pay for one round, or that nothing is charged to.
void apply_budget(Settings& experiment, Plan& plan);

}  // namespace trilemma
