#pragma once

#include <vector>

#include "privacy/accountant/dominating_pair.hpp"

namespace trilemma::accounting {

/// Upper bounds on epsilon at a fixed delta after 1, 2, ..., T equal rounds: non-decreasing, at
/// most the bound known for all rounds, and within 1 % of the tight value.
///
/// Without sampling there is a formula for every round. Otherwise one transform of the privacy loss
/// of a round is raised to enough powers that neighbouring values differ by little; between two of
/// them the later one is a bound, since epsilon does not decrease.
class EpsilonCurve {
 public:
  /// `round` is one round; `all` is an upper bound on epsilon after all `rounds` rounds.
  EpsilonCurve(const Composition& round, double delta, std::size_t rounds, double all);
  /// `epsilons` are upper bounds after `rounds` rounds, ascending, the last of which is the end.
  EpsilonCurve(std::vector<std::size_t> rounds, std::vector<double> epsilons);
  /// Returns the bound for 0 <= rounds <= T; infinite beyond.
  double at(std::size_t rounds) const;

 private:
  void choose();
  void draw_lines();

  Composition round_;
  double delta_, all_;
  std::size_t rounds_;
  /// Lines in the number of rounds whose minimum is the Renyi bound.
  std::vector<double> slope_, intercept_;
  /// Values at some numbers of rounds, ascending.
  std::vector<std::size_t> chosen_;
  std::vector<double> epsilon_;
};

}  // namespace trilemma::accounting
