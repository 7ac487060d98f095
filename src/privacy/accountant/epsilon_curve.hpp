#pragma once

#include <vector>

#include "privacy/accountant/dominating_pair.hpp"

namespace trilemma::accounting {

/// Upper bounds on epsilon at a fixed delta after 1, 2, ..., T equal rounds: never falling, at most
/// the bound known for all rounds, and within 1 % of the tight value.
///
/// Without sampling there is a formula for every round. Otherwise one
/// transform of a round's privacy loss is raised to as many powers as it takes for neighbouring
/// values to differ by little; between them, as epsilon never falls, the next one is a bound.
class EpsilonCurve {
 public:
  /// `round` is one round, `all` an upper bound on epsilon of all `rounds` of them.
  EpsilonCurve(const Composition& round, double delta, std::size_t rounds, double all);
  /// For 0 <= rounds <= T; infinite beyond.
  double at(std::size_t rounds) const;

 private:
  void choose();
  void draw_lines();

  Composition round_;
  double delta_, all_;
  std::size_t rounds_;
  /// Lines in the number of rounds whose smallest value is the Renyi bound.
  std::vector<double> slope_, intercept_;
  /// Values at some rounds, ascending.
  std::vector<std::size_t> chosen_;
  std::vector<double> epsilon_;
};

}  // namespace trilemma::accounting
