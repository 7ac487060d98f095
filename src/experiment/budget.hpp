#pragma once
// Communication and time budgets that determine the number of rounds.

#include "experiment/plan.hpp"

namespace trilemma {

/// Largest number of rounds of a run.
inline constexpr double most_rounds = 4e9;

/// Keys of the section `budget`. `upload` and `download` are sizes per client, such as "1MB" or "8
/// Mbit"; empty = no limit.
struct BudgetPlan {
  std::string upload, download;
  std::optional<double> time;  ///< simulated time

  void read(Reader& r);
};

/// Bits that a client sends and receives in a round, exactly encoded: the mean over the clients, in
/// expectation over participation. Budgets of bits are planned and checked with these numbers. NaN
/// if they do not follow from the configuration or vary from round to round: messages that differ
/// in size, or a number of contacts that changes from one server step to the next other than by
/// chance.
struct BitsPerRound {
  double up = 0, down = 0;
  double down_before = 0;  ///< received in total before the first round
};

/// Returns the bits of a round of `plan`. `real_bits` is the number of bits of a model coordinate
/// in the program that makes the run.
BitsPerRound bits_per_round(const Plan& plan, unsigned real_bits = 8 * sizeof(real));

/// Returns the number of models that the server hands out before its first step, for methods on the
/// simulated clock or in real time; 0 for methods with rounds.
std::uint64_t handed_out_by(const Plan& plan);

/// Sets the rounds of `plan` and of the resolved configuration to the largest number that fits into
/// all budgets. A key `rounds` of the command line overrides budgets of the file. Throws UserError
/// if a budget does not suffice for one round or if nothing is charged to it.
void apply_budget(Settings& experiment, Plan& plan);

}  // namespace trilemma
