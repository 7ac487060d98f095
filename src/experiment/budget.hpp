#pragma once
// Communication budgets in place of a number of rounds.

#include "experiment/plan.hpp"

namespace trilemma {

/// Rounds of a run.
inline constexpr double most_rounds = 4e9;

/// Keys of [budget], upload and download: sizes per client, as "1MB" or "8 Mbit"; they are empty by
/// default.
struct BudgetPlan {
  std::string upload, download;
  std::optional<double> time;  ///< simulated

  void read(Reader& r);
};

/// Bits that a client sends and receives in a round, exactly encoded: the mean over the clients, in
/// expectation over who takes part. This is what budgets of bits are planned with and judged by.
/// NaN where it does not follow from the configuration, or is not the same in every round: where
/// messages differ in size, and where numbers of contacts differ from one server step to the next
/// other than by chance.
struct BitsPerRound {
  double up = 0, down = 0;
  double down_before = 0;  ///< received before the first round, in all
};

/// Returns the bits of a round, where a coordinate of the model has `real_bits` bits in the program
/// that makes the run.
BitsPerRound bits_per_round(const Plan& plan, unsigned real_bits = 8 * sizeof(real));

/// Models that clients of a method on the clock or in real time get before the first server step.
std::uint64_t handed_out_by(const Plan& plan);

/// Puts the largest number of rounds that fits into all budgets in place of `rounds` of the file,
/// in the plan and in the resolved configuration; `rounds` of the command line wins over budgets of
/// the file. Refuses budgets that do not pay for one round, or that nothing is charged to.
void apply_budget(Settings& experiment, Plan& plan);

}  // namespace trilemma
